// Results as JUnit's XML, a test suite for each file and order of backends.

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text) =>
  String(text)
    .replace(/[&<>"]/g, (c) => escapes[c])
    .replace(/[^\t\n\x20-\ud7ff\ue000-\ufffd]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

function testcase(file, test) {
  const head = `    <testcase classname="${escape(file.name)}" name="${escape(test.name)}"`;
  const inner = [];
  if (test.share !== undefined)
    inner.push(`<properties>` +
               (test.ulp === undefined ? '' : `<property name="ulp" value="${test.ulp}"/>`) +
               `<property name="share_of_tolerance" value="${test.share}"/></properties>`);
  if (test.status !== 'PASS')
    inner.push(`<failure type="${test.status}" message="${escape(test.message)}"/>`);
  return inner.length ? `${head}>${inner.join('')}</testcase>` : `${head}/>`;
}

function suite(file) {
  const failures = file.tests.filter((t) => t.status !== 'PASS').length;
  const broken = file.harness !== 'OK';
  const lines = file.tests.map((t) => testcase(file, t));
  if (broken)
    lines.push(`    <testcase classname="${escape(file.name)}" name="harness"><error type="` +
               `${escape(file.harness)}" message="${escape(file.message)}"/></testcase>`);
  return `  <testsuite name="${escape(file.name)} (${escape(file.order)})" tests="` +
         `${lines.length}" failures="${failures}" errors="${broken ? 1 : 0}" ` +
         `time="${file.seconds}">\n${lines.join('\n')}\n  </testsuite>`;
}

export function junit(files) {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n` +
         files.map(suite).join('\n') + '\n</testsuites>\n';
}
