"""Text from a language model, piece by piece.

    python3 story.py MODEL.gguf "Once upon a time" [SEED]
"""

import sys

import webnn
import webnn.lm


def main(path, prompt, seed="0"):
    model = webnn.lm.load(path)
    print(prompt, end="")
    text = model.generate(prompt, max_tokens=100, temperature=0.8, top_p=0.9, seed=int(seed))
    for piece in text:
        print(piece, end="", flush=True)
    report = text.report
    print(f"\n{report.tokens} tokens, {report.tokens_per_second:.1f} tokens/s")


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (webnn.Error, OSError) as e:
        sys.exit(f"story.py: {e}")
