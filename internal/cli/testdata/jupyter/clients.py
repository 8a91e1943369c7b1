"""What Jupyter's own client, jupyter_client, sees of the kernel where things go wrong. Prints what it found as JSON."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid

import zmq
from jupyter_client.manager import start_new_kernel

LIMIT = 120  # only against hanging
checks = {}


def check(name, ok, what=""):
    checks[name] = True if ok else "no: " + str(what)[:2000]


def until_idle(client, msg_id):
    """The messages of a request that are published, in order."""
    found = []
    while True:
        m = client.get_iopub_msg(timeout=LIMIT)
        if m["parent_header"].get("msg_id") != msg_id:
            continue
        if m["msg_type"] == "status" and m["content"]["execution_state"] == "idle":
            return found
        found.append(m)


def run(client, code, **how):
    msg_id = client.execute(code, **how)
    found = until_idle(client, msg_id)
    while True:
        reply = client.get_shell_msg(timeout=LIMIT)
        if reply["parent_header"].get("msg_id") == msg_id:
            return found, reply["content"]


def begin(client, code):
    """Starts a cell, and waits until it runs."""
    msg_id = client.execute(code)
    while True:
        m = client.get_iopub_msg(timeout=LIMIT)
        if m["parent_header"].get("msg_id") == msg_id and m["msg_type"] == "stream":
            return msg_id


def text(found, name="stdout"):
    return "".join(m["content"]["text"] for m in found if m["msg_type"] == "stream" and m["content"]["name"] == name)


FOREVER = "def forever():\n    for i in range(1 << 60):\n        pass\nprint('begun')\nforever()"

manager, client = start_new_kernel(kernel_name="astrolabe", startup_timeout=LIMIT)

found, reply = run(client, "for i in range(20000):\n    print(i)")
n = sum(m["msg_type"] == "stream" for m in found)
check("20,000 prints arrive in order", text(found) == "".join("%d\n" % i for i in range(20000)))
check("20,000 prints are few messages", n < 10000, n)
found, reply = run(client, "print('x' * (20 << 20))")
check("20 MiB arrive", len(text(found)) == (20 << 20) + 1, len(text(found)))
found, reply = run(client, "'y' * (20 << 20)")
plain = [m["content"]["data"]["text/plain"] for m in found if m["msg_type"] == "execute_result"]
check("a value of 20 MiB is cut, and told", len(plain) == 1 and "more bytes" in plain[0] and len(plain[0]) < 10000, plain)

# Interrupts: by a message, and by the signal that a terminal sends.
for how in ("message", "signal"):
    msg_id = begin(client, FOREVER)
    if how == "message":
        manager.interrupt_kernel()
    else:
        os.kill(manager.provisioner.pid, signal.SIGINT)
    found = until_idle(client, msg_id)
    check("an interrupt by a " + how + " stops the cell",
          [m["content"]["ename"] for m in found if m["msg_type"] == "error"] == ["Interrupted"], found)
    client.get_shell_msg(timeout=LIMIT)
os.kill(manager.provisioner.pid, signal.SIGINT)
found, reply = run(client, "kept = 5\nkept")
check("an interrupt while nothing runs ends nothing", reply["status"] == "ok", reply)

# What waits behind a cell that fails.
first = begin(client, FOREVER)
later = [client.execute("print('later')") for _ in range(3)]
asked = client.kernel_info()
time.sleep(1)  # they are on their way
manager.interrupt_kernel()
status = {}
while len(status) < 5:
    m = client.get_shell_msg(timeout=LIMIT)
    status[m["parent_header"]["msg_id"]] = m["content"]["status"]
check("requests behind a failed cell are answered", status[first] == "error" and status[asked] == "ok"
      and all(status[i] in ("aborted", "ok") for i in later), status)

found, reply = run(client, "input('your name? ')", allow_stdin=True)
check("a question is refused", reply["status"] == "error" and "scripts ask nothing" in reply["evalue"], reply)
found, reply = run(client, "1", user_expressions={"a": "kept + 1", "b": "no_such_name"})
check("expressions are answered", reply["user_expressions"]["a"]["data"]["text/plain"] == "6"
      and reply["user_expressions"]["b"]["status"] == "error", reply)

# A client with the identity of one that is still there.
info = manager.get_connection_info(session=True)
context = zmq.Context.instance()
for _ in range(3):
    again = context.socket(zmq.DEALER)
    again.linger = 0
    again.identity = client.session.bsession
    again.connect("tcp://%s:%d" % (info["ip"], info["shell_port"]))
    client.session.send(again, "kernel_info_request", {})
    answered = again.poll(LIMIT * 1000)
    check("who comes back with an identity is answered", answered)
    if answered:
        _, parts = client.session.feed_identities(again.recv_multipart())
        check("by a reply that is signed", client.session.deserialize(parts)["msg_type"] == "kernel_info_reply")
# The connections stay, as where a machine slept. The first client connects anew.
client.stop_channels()
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=LIMIT)
found, reply = run(client, "kept")
check("a client that connects anew finds its variables", reply["status"] == "ok", reply)

# Messages with a wrong signature, of a wrong form, and of the transport.
raw = context.socket(zmq.DEALER)
raw.linger = 0
raw.heartbeat_ivl = 50
raw.connect("tcp://%s:%d" % (info["ip"], info["shell_port"]))
good = client.session.serialize(client.session.msg("execute_request", {"code": "print('forged')", "silent": False}))
forged = list(good)
forged[1] = b"0" * 64
for frames in (forged, good[:3], [b""], [b"<IDS|MSG>"], [b"x"] * 900, [uuid.uuid4().bytes * 1000]):
    raw.send_multipart(frames)
found, reply = run(client, "print('mine')")
check("only signed messages run", text(found) == "mine\n", found)
client.session.send(raw, "kernel_info_request", {})
check("who sent nonsense can still ask", raw.poll(LIMIT * 1000))
time.sleep(0.5)  # several heartbeats of the transport
client.session.send(raw, "kernel_info_request", {})
raw.recv_multipart()
check("heartbeats of the transport are answered", raw.poll(LIMIT * 1000))

# The heartbeat, while a cell runs.
heart = context.socket(zmq.REQ)
heart.linger = 0
heart.connect("tcp://%s:%d" % (info["ip"], info["hb_port"]))
msg_id = begin(client, FOREVER)
heart.send(b"ping")
check("the heart beats while a cell runs", heart.poll(LIMIT * 1000) and heart.recv() == b"ping")
manager.interrupt_kernel()
until_idle(client, msg_id)

# A restart while a cell runs.
begin(client, FOREVER)
client.control_channel.send(client.session.msg("shutdown_request", {"restart": True}))
reply = client.get_control_msg(timeout=LIMIT)
check("a running cell keeps nobody from ending the kernel", reply["content"]["status"] == "ok"
      and reply["content"]["restart"] is True, reply)
end = time.monotonic() + LIMIT
while manager.is_alive() and time.monotonic() < end:
    time.sleep(0.05)
check("the kernel ends when it is told to", not manager.is_alive())
manager.restart_kernel(now=True)
client.wait_for_ready(timeout=LIMIT)
found, reply = run(client, "kept")
check("a restarted kernel knows nothing", reply["status"] == "error", reply)
client.stop_channels()
manager.shutdown_kernel()

# The program that started a kernel is killed.
child = subprocess.Popen([sys.executable, "-c", """
import sys, time
from jupyter_client.manager import start_new_kernel
m, c = start_new_kernel(kernel_name="astrolabe", startup_timeout=120)
print(m.provisioner.pid, flush=True)
time.sleep(1000)
"""], stdout=subprocess.PIPE, text=True)
pid = int(child.stdout.readline())
child.send_signal(signal.SIGKILL)
child.wait()


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


end = time.monotonic() + LIMIT
while alive(pid) and time.monotonic() < end:
    time.sleep(0.05)
check("a kernel ends with the program that started it", not alive(pid))

print(json.dumps(checks))
