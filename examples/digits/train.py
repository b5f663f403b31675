#!/usr/bin/env python3
"""Trains the network of this example and writes digits.safetensors and test.safetensors.

Needs NumPy, scikit-learn (which brings the images) and PyTorch. The same versions on the same
kind of processor write the same files: every seed is fixed, and one thread does the arithmetic.
"""

import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "trained" / "train"))
from safetensors_file import write_safetensors  # after the path

SEED = 1998
EPOCHS = 200


class Net(torch.nn.Module):
    """Images [n, 1, 8, 8] of ink between 0 and 1 -> scores [n, 10]. main.cpp builds the same."""

    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(1, 32, 3, padding=1)
        self.depthwise = torch.nn.Conv2d(32, 32, 3, padding=1, groups=32)
        self.pointwise = torch.nn.Conv2d(32, 32, 1)
        self.wide = torch.nn.Conv2d(32, 64, 3, padding=1)
        self.deep = torch.nn.Conv2d(64, 64, 3, padding=1)
        self.classes = torch.nn.Linear(256, 10)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = x + F.relu(self.pointwise(F.relu(self.depthwise(x))))
        x = F.max_pool2d(F.relu(self.wide(x)), 2)
        x = F.avg_pool2d(F.relu(self.deep(x)), 2)
        return self.classes(F.dropout(x.flatten(1), 0.4, self.training))


def distorted(x, random):
    """Images shifted by up to a pixel, turned by up to 12 degrees, scaled by up to a tenth."""
    n = len(x)
    uniform = lambda limit: (torch.rand(n, generator=random) * 2 - 1) * limit
    angle, scale = uniform(np.pi / 15), 1 + uniform(0.1)
    cos, sin = scale * torch.cos(angle), scale * torch.sin(angle)
    rows = [torch.stack([cos, -sin, uniform(0.25)], 1), torch.stack([sin, cos, uniform(0.25)], 1)]
    grid = F.affine_grid(torch.stack(rows, 1), x.shape, align_corners=False)
    return F.grid_sample(x, grid, align_corners=False)


def evaluate(net, x, y):
    """Loss and accuracy."""
    net.eval()
    with torch.no_grad():
        scores = net(x)
    return F.cross_entropy(scores, y).item(), (scores.argmax(1) == y).float().mean().item()


def train(x, y, validation):
    """The weights of the epoch with the lowest validation loss."""
    torch.manual_seed(SEED)
    random = torch.Generator().manual_seed(SEED)
    net = Net()
    print(sum(p.numel() for p in net.parameters()), "parameters")
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-2)
    steps = EPOCHS * ((len(x) + 63) // 64)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps)
    best = None
    for epoch in range(1, EPOCHS + 1):
        net.train()
        for batch in torch.randperm(len(x), generator=random).split(64):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(distorted(x[batch], random)), y[batch])
            loss.backward()
            optimizer.step()
            schedule.step()
        loss, accuracy = evaluate(net, *validation)
        if best is None or loss < best[0]:
            best = loss, accuracy, epoch, {k: v.clone() for k, v in net.state_dict().items()}
        if epoch % 20 == 0:
            print(f"epoch {epoch:3}  validation loss {loss:.4f}  accuracy {accuracy:.4f}")
    print(f"kept epoch {best[2]}: validation loss {best[0]:.4f}, accuracy {best[1]:.4f}")
    net.load_state_dict(best[3])
    return net


def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    digits = load_digits()
    pixels = digits.images.astype(np.uint8)  # 0 (paper) to 16 (ink)
    labels = digits.target.astype(np.uint8)
    # 360 images that nothing below looks at before the last lines, 180 to choose the epoch.
    rest, test = train_test_split(np.arange(len(labels)), test_size=360, stratify=labels,
                                  random_state=SEED)
    learn, choose = train_test_split(rest, test_size=180, stratify=labels[rest],
                                     random_state=SEED)
    x = torch.from_numpy(pixels).float()[:, None] / 16
    y = torch.from_numpy(labels).long()

    net = train(x[learn], y[learn], (x[choose], y[choose]))
    weights = {name: value.numpy() for name, value in net.state_dict().items()}
    write_safetensors(HERE / "digits.safetensors", weights, {"trained_on": "UCI digits"})

    net.eval()
    with torch.no_grad():
        probabilities = F.softmax(net(x[test]), 1).numpy()
    print(f"held-out accuracy {(probabilities.argmax(1) == labels[test]).mean():.4f}")
    write_safetensors(
        HERE / "test.safetensors",
        {"pixels": pixels[test], "labels": labels[test], "probabilities": probabilities},
        {"source": "UCI Optical Recognition of Handwritten Digits, CC BY 4.0"})


if __name__ == "__main__":
    main()
