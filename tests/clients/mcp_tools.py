"""Drives 'whyfast mcp' by the client of the Model Context Protocol's own package, mcp of PyPI.

    python3 mcp_tools.py WHYFAST RUN

The current folder is that of tests/cli/mcp.inc. Prints a line of TAP for each thing that is tested.
"""
import asyncio
import os
import sys
import time

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

count = 0


def tap(holds, name):
    global count
    count += 1
    print(f"{'ok' if holds else 'not ok'} {count} - {name}", flush=True)


async def call(session, tool, **arguments):
    answer = await session.call_tool(tool, arguments)
    return answer.isError, answer.content[0].text


async def ask(session, run):
    tools = (await session.list_tools()).tools
    tap([tool.name for tool in tools] ==
        ["doctor", "run", "diff", "verify", "evaluate", "explain", "lines",
         "conflicts"], "it lists its tools")
    tap(all(tool.inputSchema["additionalProperties"] is False for tool in tools),
        "  with the schemas of their arguments")
    questions = [
        ("doctor", {}, "stand-in"),
        ("verify", {"base": run, "candidate": run}, "no evidence: 0 slower"),
        ("explain", {"run": run, "kernel": "gemm/06"}, "times as fast"),
        ("lines", {"run": run, "kernel": "gemm/06"}, ".cu"),
        ("conflicts", {"run": run}, "conflicts"),
    ]
    for tool, arguments, words in questions:
        is_error, text = await call(session, tool, **arguments)
        tap(not is_error and words in text, f"{tool} answers")
        tap(len(text.encode()) <= 2048, "  in 2 kB")
        is_error, detailed = await call(session, tool, detail=True, **arguments)
        tap(not is_error and len(detailed) >= len(text) - 100 and
            "detail gives all" not in detailed, "  and with detail in full")
    for tool in "run", "diff":
        files = {"program": "app", "output": "out"} if tool == "run" else {
            "base": "app", "candidate": "app"}
        is_error, text = await call(session, tool, **files)
        tap(is_error and "GPU" in text, f"{tool} asks for a GPU")


async def ask_wrongly(session, run):
    for arguments, words in [
            ({}, "expected a variant"),
            ({"kernel": 6}, "expected a string"),
            ({"kernel": "gemm/06", "colour": "red"}, "has no argument 'colour'"),
            ({"kernel": "--help"}, "an option"),
            ({"kernel": "../secret"}, "is a path"),
            ({"kernel": "gemm/06", "run": "/etc"}, "is not in the folder"),
            ({"kernel": "gemm/06", "run": "outside"}, "is not in the folder"),
            ({"kernel": "gemm/06", "detail": "yes"}, "true or false")]:
        is_error, text = await call(session, "explain", **arguments)
        tap(is_error and words in text, f"explain {arguments} is refused")
    is_error, text = await call(session, "run", program="/bin/true", output="out")
    tap(is_error and "is not in the folder" in text, "a program elsewhere is refused")
    is_error, text = await call(session, "run", program="app", output="../out")
    tap(is_error and "is not in the folder" in text, "  and a run elsewhere")
    try:
        await session.call_tool("remove", {})
        tap(False, "an unknown tool is refused")
    except Exception as refusal:  # the package's own, whose name its versions do not agree on
        tap("there is no such tool" in str(refusal), "an unknown tool is refused")


async def cancel(session):
    told = []

    async def on_progress(progress, total, message):
        told.append(message)

    slow = asyncio.create_task(session.call_tool(
        "diff", {"base": "app", "candidate": "slow"}, progress_callback=on_progress))
    end = time.monotonic() + 60
    while "start 1 of 3" not in told and time.monotonic() < end:
        await asyncio.sleep(0.05)
    tap("start 1 of 3" in told, "long work tells its progress")
    request = session._request_id - 1
    await session.send_notification(types.ClientNotification(types.CancelledNotification(
        method="notifications/cancelled",
        params=types.CancelledNotificationParams(requestId=request))))
    is_error, text = await call(session, "explain", kernel="gemm/06")
    tap(not is_error and not slow.done(), "a cancelled call is not answered, and the next one is")
    slow.cancel()
    end = time.monotonic() + 60
    while not os.path.exists("stopped") and time.monotonic() < end:
        await asyncio.sleep(0.05)
    tap(os.path.exists("stopped"), "  and its program has stopped in order")


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            hello = await session.initialize()
            tap("no shell is used" in hello.instructions, "it says what it runs")
            await session.send_ping()
            await ask(session, sys.argv[2])
            await ask_wrongly(session, sys.argv[2])
            await cancel(session)
    print(f"1..{count}")

asyncio.run(main())
