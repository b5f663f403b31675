"""What the training scripts of this folder share."""

import pathlib
import time

import numpy as np
import torch

from safetensors_file import write_safetensors

FOLDER = pathlib.Path(__file__).resolve().parent.parent


def prepare(seed):
    """One thread and fixed seeds: the same versions on the same processor give the same file."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    return np.random.default_rng(seed)


def train(net, steps, batch_loss, learning_rate):
    """`batch_loss()` is the loss of the next batch. Adam, one cycle of the learning rate."""
    print(sum(p.numel() for p in net.parameters()), "parameters")
    optimizer = torch.optim.Adam(net.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, total_steps=steps)
    start, total = time.time(), 0
    net.train()
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        loss = batch_loss()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        total += loss.item()
        if step % 200 == 0:
            print(f"step {step:5}  loss {total / 200:.4f}  {time.time() - start:.0f} s", flush=True)
            total = 0
    net.eval()


def weights(net):
    """The parameters as float16, as the files have them; the network is rounded to the same."""
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(p.half().float())
    return {name: value.detach().numpy().astype(np.float16)
            for name, value in net.named_parameters()}
