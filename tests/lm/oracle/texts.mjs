// Texts for comparisons of tokenizers, from a seed: random Unicode, words of several scripts, code, emoji with
// joiners, right-to-left text, broken bytes, runs of spaces, very long words.

/** Numbers from 0 to 1, the same ones for a seed. */
export function random(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const words = ('the of and to in is you that it he was for on are as with his they I at be this have from or one had by '
  + 'word but not what all were we when your can said there use an each which she do how their if will up other about '
  + "don't I'll we've they're it's YOU'RE WE'LL naïve café façade Übergröße straße ŒUVRE Ελληνικά ΣΊΣΥΦΟΣ Привет МИР "
  + 'мир こんにちは 世界 東京都 カタカナ 한국어 안녕하세요 ไทย สวัสดี हिन्दी नमस्ते বাংলা தமிழ் العربية مرحبا עברית שלום '
  + 'ﷺ Ⅷ ½ ² ﬁ ﬀ Ǆ ǅ İ ı K Å é e\u0301 a\u0308\u0323 ộ ｆｕｌｌ ｗｉｄｔｈ').split(' ');
const code = ['for (int i = 0; i < n; ++i) {\n\tx[i] += y[i] * 3.14e-10f;\n}\n', 'def f(x):\n    return x**2  # square\n',
  'SELECT * FROM `t` WHERE a != "b" AND c >= 1000000;', '<div class="a">&nbsp;</div>\r\n', '{"key": [1, 2.5, null, true]}',
  'https://example.org/a/b?c=d&e=%20#f', '\\begin{align} x &= \\frac{1}{2} \\\\ \\end{align}', '0x7fffffff 0b1010 1_000_000',
  'a->b::c<d>()', 'if (!p) return -1;;;', '/* ***** */', '$HOME/.bashrc && rm -rf /tmp/*', '1234567890123456789'];
const emoji = ['👨‍👩‍👧‍👦', '🏳️‍🌈', '👍🏽', '🇩🇪', '😀😀😀', '❤️', '🧑🏿‍🚀', '#️⃣', '🫠', '\u200d', '\ufe0f'];
const spaces = [' ', '  ', '\t', '\n', '\r\n', '\n\n', '\u00a0', '\u3000', '\u2003', '\u2028', '\u000b', '\u000c', ' \n '];
const punctuation = ['.', ',', '!', '?', '...', '—', '“', '”', '„', '(', ')', '[', ']', "'", '"', '´', '`', '«', '、', '。', '؟',
  '-', '_', '#', '@', '%', '&', '*', '+', '=', '/', '\\', '|', '<', '>', '^', '~', '€', '£', '≠', '√', '∞', '→', '\u0301'];

// What engines of expressions and versions of Unicode know differently: characters of White_Space that JavaScript's \s
// does not have and the reverse, characters that are in no version before 14, and what is not a character.
const assigned = /^(?!\p{Cn}|\p{Cs}|[\u0085\u180e\ufeff])./u;
const old = [[0x20, 0x7e], [0xa1, 0x24f], [0x250, 0x36f], [0x370, 0x52f], [0x531, 0x7b1], [0x901, 0xdf4], [0xe01, 0xedd],
  [0x10a0, 0x10c5], [0x1100, 0x11ff], [0x1e00, 0x1fff], [0x2000, 0x2bff], [0x3000, 0x30ff], [0x3400, 0x4db5],
  [0x4e00, 0x9fa5], [0xac00, 0xd7a3], [0xe000, 0xf8ff], [0xf900, 0xfa2d], [0xfb00, 0xfbc1],
  [0xfbd3, 0xfd8f], [0xfd92, 0xfdc7], [0xfdf0, 0xfdfc], [0xfe20, 0xfffd], [0x10000, 0x100fa],
  [0x1d400, 0x1d7ff], [0x1f300, 0x1f64f], [0x20000, 0x2a6d6], [0x2f800, 0x2fa1d], [0x1, 0x1f]];

export function* texts(count, seed) {
  const next = random(seed);
  const below = (n) => Math.floor(next() * n);
  const pick = (list) => list[below(list.length)];
  const character = () => {
    for (;;) {
      const [first, last] = pick(old);
      const c = String.fromCodePoint(first + below(last - first + 1));
      if (assigned.test(c)) return c;
    }
  };
  const many = (n, f) => Array.from({ length: n }, f).join('');
  const kinds = [
    () => many(1 + below(12), character),
    () => many(1 + below(12), () => (next() < 0.7 ? ' ' : '') + pick(words)),
    () => many(1 + below(12), () => pick(words) + pick(punctuation) + (next() < 0.5 ? ' ' : '')),
    () => many(1 + below(3), () => pick(code) + pick(spaces)),
    () => many(1 + below(5), () => pick(emoji) + (next() < 0.3 ? pick(words) : '')),
    () => many(1 + below(4), () => pick(words) + pick(spaces).repeat(1 + below(40))),
    () => many(1 + below(8), () => pick(punctuation) + pick(spaces)),
    () => many(1 + below(30), () => String(below(10))) + pick(words),
    () => many(1 + below(6), () => pick(words).toUpperCase() + pick(words)),
    () => many(1 + below(3), () => 'a\u0301\u0323\u0308'.repeat(1 + below(4)) + character()),
    () => many(3, () => pick([() => pick(words), character, () => pick(emoji), () => pick(spaces),
      () => pick(punctuation), () => pick(code)])()),
  ];
  for (let i = 0; i < count; ++i) {
    if (i % 5000 === 4999) yield Buffer.from(many(1 + below(3), () => pick(['a', 'ab', 'xyz', '長', ' ', '.', '1', 'é', 'Ab']).repeat(500 + below(1500))));
    else if (i % 20 === 19) {  // broken bytes
      const bytes = Buffer.from(pick(kinds)());
      for (let k = 0; k < 1 + below(3); ++k) if (bytes.length) bytes[below(bytes.length)] = 0x80 + below(128);
      yield bytes;
    } else yield Buffer.from(pick(kinds)());
  }
}
