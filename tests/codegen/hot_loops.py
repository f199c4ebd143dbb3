# SPDX-License-Identifier: Apache-2.0
"""The hot loops of an object of hot_loops.cpp, and the table in it that says what each may hold."""
import re
import subprocess
from dataclasses import dataclass

SECTION = ".tkl_hot_loops"
BRANCH = re.compile(r"(?:j\w+|b(?:\.\w+)?|cbn?z|tbn?z)\s+(?:[^\s,]+, )*([0-9a-f]+)(?:\s|$)")


@dataclass
class Loop:
    name: str
    instruction: str  # that is counted
    count: int        # of one product
    loads: int        # of one product
    body: list        # instructions as the disassembler prints them
    frame: bool       # the function's stack is reached through a frame pointer, too

    def stack_references(self):
        stack = r"\(%rsp|\[sp\b" + (r"|\(%rbp|\[x29\b" if self.frame else "")
        return [t for t in self.body if re.search(stack, t)]

    def counted(self):
        names = r"(?:v?addps|fadd)" if self.instruction == "add" else rf"{self.instruction}\w*"
        return [t for t in self.body if re.match(rf"{names}\s", t)]


@dataclass
class Architecture:
    name: str
    model: str  # of LLVM's scheduler
    per_cycle: int
    loops: list


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def table_of(objdump, path):
    """The lines of the table, from a dump of its section in hexadecimal."""
    data = b""
    for line in run(objdump, "-s", "-j", SECTION, path).splitlines():
        row = re.match(r" [0-9a-f]+ ((?:[0-9a-f]{2,8} ){1,4})", line)
        if row:
            data += bytes.fromhex(row[1].replace(" ", ""))
    return data.split(b"\0")[0].decode().splitlines()


def functions_of(objdump, path):
    """Maps a demangled name to its instructions, as a list of (address, instruction)."""
    found, current = {}, None
    for line in run(objdump, "-d", "-C", "--no-show-raw-insn", path).splitlines():
        title = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if title:
            current = found.setdefault(title[1], [])
            continue
        instruction = re.match(r"\s*([0-9a-f]+):\s+(\S.*)$", line)
        if instruction and current is not None:
            text = re.split(r"\s+(?://|<)|#(?= 0x|\s)", instruction[2])[0].strip()
            current.append((int(instruction[1], 16), text))
    return found


def innermost_loops(code):
    """Bodies between a backward branch and its target that hold no smaller such body, no call and no return."""
    spans = []
    for address, text in code:
        jump = BRANCH.match(text)
        if jump and code[0][0] <= int(jump[1], 16) <= address:
            spans.append((int(jump[1], 16), address))
    inner = [s for s in spans if not any(o != s and s[0] <= o[0] and o[1] <= s[1] for o in spans)]
    bodies = [[text for address, text in code if first <= address <= last] for first, last in inner]
    return [b for b in bodies if not any(re.match(r"(?:call|bl|ret)\b", text) for text in b)]


def architecture_of(objdump, path):
    """What the object's table says, with the body of each loop: the innermost one with the most counted instructions, and
    of equals the shortest (code behind a loop that jumps back looks like one)."""
    functions = functions_of(objdump, path)
    lines = [line.split(";") for line in table_of(objdump, path)]
    _, name, model, per_cycle = lines[0]
    loops = []
    for _, loop, function, arguments, instruction, count, loads in lines[1:]:
        titles = [t for t in functions if function in t and arguments in t]
        if len(titles) != 1:
            raise SystemExit(f"{path}: {len(titles)} functions are called {function}...{arguments}...")
        code = functions[titles[0]]
        frame = any(re.match(r"mov\s+(?:%rsp,%rbp|x29, sp)", text) for _, text in code)
        bodies = [Loop(loop, instruction, int(count), int(loads), b, frame) for b in innermost_loops(code)]
        best = max(bodies, key=lambda b: (len(b.counted()), -len(b.body)), default=None)
        if best is None or not best.counted():
            raise SystemExit(f"{path}: {loop} has no loop with {instruction}")
        loops.append(best)
    return Architecture(name, model, int(per_cycle), loops)
