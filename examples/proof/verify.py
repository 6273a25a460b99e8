"""Verifies what `market proof save` has written, offline: python3 verify.py balance-proof.json"""
import base64, hashlib, json, sys

P = 2**256 - 2**224 + 2**192 + 2**96 - 1  # the curve P-256 of FIPS 186
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)
raw = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
sha, number = lambda text: hashlib.sha256(text.encode()).hexdigest(), lambda data: int.from_bytes(data, "big")

def add(p, q):
    if p is None or q is None: return p or q
    if p[0] == q[0] and (p[1] + q[1]) % P == 0: return None
    m = (3 * p[0]**2 - 3) * pow(2 * p[1], -1, P) if p == q else (q[1] - p[1]) * pow(q[0] - p[0], -1, P)
    x = (m * m - p[0] - q[0]) % P
    return x, (m * (p[0] - x) - p[1]) % P

def times(k, p):
    return None if k == 0 else add(times(k // 2, add(p, p)), p if k % 2 else None)

def signed(seal, keys):
    head, body, signature = seal.split(".")
    header, data = json.loads(raw(head)), raw(signature)
    key = next(k for k in keys if k["kid"] == header["kid"])
    r, s, h = number(data[:32]), number(data[32:]), int(sha(f"{head}.{body}"), 16)
    point = add(times(h * pow(s, -1, N) % N, G), times(r * pow(s, -1, N) % N, (number(raw(key["x"])), number(raw(key["y"])))))
    assert header["typ"] == "market-log" and 0 < r < N and 0 < s < N and point[0] % N == r, "a seal is wrong"
    return raw(body).decode()

file, before, days = json.load(open(sys.argv[1])), "0" * 64, {}
for entry in reversed(file["log"]):
    text = signed(entry["seal"], file["keys"])
    day, before = json.loads(text), sha(text)
    assert day["previous_sha256"] == (list(days.values())[-1][1] if days else "0" * 64), "the chain is broken"
    assert sum(t["units"] for t in day["owed"].values()) + sum(day["service"].values()) == 0, "the sums are wrong"
    days[day["day"]] = day, before
proof = file["proof"]
for own in proof["balances"]:
    total, mark = own["units"], sha(f"leaf|{proof['day']}|{own['kind']}|{proof['owner']}|{own['units']}|{own['blind']}")
    for node in own["path"]:
        pair = [(total, mark), (node["units"], node["sha256"])][:: 1 if node["side"] == "right" else -1]
        total, mark = total + node["units"], sha("node|%d|%s|%d|%s" % (*pair[0], *pair[1]))
    root = days[proof["day"]][0]["owed"][own["kind"]]
    assert min([own["units"], *(n["units"] for n in own["path"])]) >= 0 and (total, mark) == (root["units"], root["root_sha256"]), f"{own['kind']} is not in the tree"
    print(f"{own['kind']}: {own['units'] / 100:.2f} credits are in what was owed at the end of {proof['day']}")
