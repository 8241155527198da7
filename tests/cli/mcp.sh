#!/bin/sh
# Tests 'whyfast mcp' with lines of JSON: what a client of the protocol asks, and what none would.
# tests/clients/mcp.sh drives it by the protocol's own client.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/cli/mcp.inc"

expect 0 'the recipe for agents' "$WHYFAST" skill
prints 'no evidence | 6 |' '  says what the words mean'
is "$(($(wc -c <"$work/out") < 4096))" 1 '  in less than 4 kB'
expect 0 'a server without a client' bin/whyfast mcp
is "$(cat "$work/out" "$work/err")" '' '  says nothing'

# asked: prints two calls and a ping, without a line feed at the end.
asked() {
    for id in 1 2; do
        printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"lines",' $id
        printf '"arguments":{"run":"run","kernel":"gemm/06"}}}\n'
    done
    printf '{"jsonrpc":"2.0","id":3,"method":"ping"}'
}
asked | bin/whyfast mcp >answers
is "$(grep -o '"id":[0-9],"result"' answers | xargs)" 'id:3,result id:1,result id:2,result' \
    'a client that asks and leaves at once has all answers'

if [ -n "${MEMCHECK:-}" ]; then
    skip 'valgrind would run the program that lies in build/, beside the real whyfast-gpu'
    finish
fi

# ---- a conversation ------------------------------------------------------------------------------

mkfifo to from
# serve VARIABLE=VALUE...: starts the server with these.
serve() {
    env "$@" timeout 300 bin/whyfast mcp <to >from 2>errors &
    server=$!
    exec 3>to 4<from
}
# hear: reads the next message into $reply. ask LINE: sends a line and hears the answer.
hear() { IFS= read -r reply <&4 || reply='the server has ended'; }
ask() { printf '%s\n' "$1" >&3; hear; }
# heard TEXT NAME: passes if the last message has it.
heard() {
    case $reply in *"$1"*) result 0 "$2" ;; *) result 1 "$2" || explain "$reply" ;; esac
}
# call ID TOOL ARGUMENTS: calls a tool.
call() {
    ask "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"tools/call\",\"params\":{\"name\":\"$2\",\"arguments\":$3}}"
}

serve TMPDIR=/nowhere
call 1 lines '{"run":"run","kernel":"gemm/06"}'
heard 'cannot make a temporary file: No such file or directory"}],"isError":true' \
    'a call that cannot be started is answered'
ask '{"jsonrpc":"2.0","id":2,"method":"ping"}'
heard '"id":2,"result":{}' '  and the server lives on'
exec 3>&- 4<&-
wait "$server"

serve
ask '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}'
heard '"id":0,"result":{"protocolVersion":"2025-03-26"' 'the version of the client is taken'
heard "taken from $PWD/ alone, and no shell is used" '  and it is told which files are'
heard 'When to stop' '  with the recipe'
ask '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"1"}}'
heard '"protocolVersion":"2025-06-18"' '  another one is answered with ours'
printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&3
ask '{"jsonrpc":"2.0","id":"a\"b","method":"ping"}'
is "$reply" '{"jsonrpc":"2.0","id":"a\"b","result":{}}' 'a notification has no answer, and a ping one'
ask '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}'
heard '"id":12345678901234567890,' '  a large number comes back as it was'
ask "$(printf '{"jsonrpc":"2.0","id":"a\377","method":"ping"}')"
is "$reply" "$(printf '{"jsonrpc":"2.0","id":"a\357\277\275","result":{}}')" '  and what is not UTF-8 as U+FFFD'
ask '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
is "$(echo "$reply" | grep -oE '"name":"[a-z]+"' | cut -d '"' -f 4 | xargs)" \
    'doctor run diff verify evaluate explain lines conflicts' 'the tools are listed'
call 3 verify '{"base":"run","candidate":"run","kernels":["gemm/06*"]}'
heard '"id":3,' 'verify is answered'
heard 'exit code 6\u000ano evidence: 0 slower' '  with code and word'
heard '"isError":false' '  and is no error'
rm -f run/metrics.csv
call 4 verify '{"base":"run","candidate":"run","kernels":["gemm/06*"]}'
heard "'whyfast evaluate run' creates it" '  a run that is only measured is refused'
call 4 evaluate '{"run":"run"}'
heard '"isError":false' '  and can be evaluated'
call 4 verify '{"base":"run","candidate":"run","kernels":["gemm/06*"]}'
heard 'exit code 6' '    and verified'
call 4 evaluate '{"run":"outside"}'
heard '"isError":true' '  but none out of the folder'
call 4 explain '{"run":"run","before":"gemm/06","kernel":"gemm/06"}'
heard 'Still to be gained' 'of a kernel alone, what is left is told'
call 4 lines '{"run":"run","kernel":"gemm/06","detail":true}'
heard 'gemm/06' 'lines are shown'
call 4 lines '{"run":"run","kernel":"gemm/06"}'
is "$([ ${#reply} -lt 2400 ]; echo $?)" 0 '  without detail in 2 kB and a few escapes'
hottest=$("$WHYFAST" lines run gemm/06 --csv | awk -F , 'NR > 1 && $16 > most {
    most = $16
    sub(/.*\//, "", $9)
    line = $9 ":" $10
} END { print line }')
line=${reply##*main reason}
reply=$(printf %s "${line#*u000a}" | cut -c 1-80)
heard "$hottest " '  with the hottest line at the head of the table'
call 5 diff '{"base":"app","candidate":"loud"}'
heard 'message 1 says it. ...\u000a' 'of long messages the first sentences are kept'
heard 'message 4 says it. ...\u000a[messages are shortened' '  of each'
call 5 explain '{"run":"run","before":"gemm/06"}'
heard "'kernel' is missing" 'a kernel to compare with needs one to explain'
call 5 explain '{"kernel":"gemm/06","after":"gemm/07"}'
heard "has no argument 'after'; it has size, run, before, kernel, detail" \
    'of an unknown argument those are named that there are'
call 5 explain '{"kernel":"gemm/nothing","run":"run"}'
heard 'exit code 2' 'an unknown kernel is refused'
heard '"isError":true' '  as an error'
cp app long
call 5 run '{"program":"long","output":"o"}'
heard 'xxx and the end\u000a[' 'of a long line of a program the end is kept'
for wrong in '{}' '{"kernel":6}' '{"kernel":["gemm/06"]}' '{"kernel":null}' '{"kernel":"a","x":1}' \
    '{"kernel":"-q"}' '{"kernel":"/etc/passwd"}' '{"kernel":"a/../../b"}' '{"kernel":""}' \
    '{"kernel":"a","run":"/etc"}' '{"kernel":"a","run":"outside"}' '{"kernel":"a","run":".."}' \
    '{"kernel":"a","detail":1}' '{"kernel":"a","run":"run/../.."}'; do
    call 6 explain "$wrong"
    heard '"isError":true' "explain $wrong is refused"
done
# Links that lead out, also where a name could be that of a run, a report or a recorded run.
mkdir ../elsewhere
touch ../elsewhere/run.txt ../elsewhere/points.csv.xz
ln -s ../elsewhere packed
ln -s nowhere dangling
ln -s /etc bin/link
for wrong in 'explain {"kernel":"outside/hostname"}' 'explain {"kernel":"a","before":"packed"}' \
    'explain {"kernel":"a.ncu-rep"}' 'explain {"kernel":"a","run":"packed"}' \
    'explain {"kernel":"dangling"}' 'lines {"kernel":"bin/link/hostname"}' \
    'conflicts {"kernels":["a","packed"]}' \
    'verify {"base":"run","candidate":"run","kernels":["a","bin/link/hostname"]}' \
    'verify {"base":"run","candidate":"outside"}' 'run {"program":"outside/hostname","output":"o"}' \
    'run {"program":"app","output":"dangling"}' 'run {"program":"app","output":"dangling/"}' \
    'run {"program":"app","output":"outside/o/"}' 'run {"program":"app","output":"o/../"}'; do
    call 6 "${wrong%% *}" "${wrong#* }"
    heard 'is not in the folder' "$wrong leads out"
done
for wrong in '{"program":"/bin/true","output":"o"}' '{"program":"outside/hostname","output":"o"}' \
    '{"program":"app","output":"../o"}' '{"program":"app","output":"outside/o"}' \
    '{"program":"app","output":"o","arguments":"x"}' '{"program":"app","output":"o","arguments":[1]}'; do
    call 7 run "$wrong"
    heard '"isError":true' "run $wrong is refused"
done
call 7 run '{"program":"app","output":"new","arguments":["--","/etc","$(touch made)"]}'
heard 'no GPU here for run -o new -- ./app -- /etc' 'arguments of a program may be anything'
is "$(ls made 2>/dev/null)" '' '  and no shell reads them'
cp app env
call 7 run '{"program":"env","output":"new/","kernel":".*sum|/a..b"}'
heard 'run -o new/ --kernel .*sum|/a..b -- ./env' 'a program is not looked for on the PATH'
call 7 run '{"program":"app","output":"new","kernel":"--keep"}'
heard 'an option' '  and a pattern is no option'
call 7 diff '{"base":"run","candidate":"run","arguments":["../../bin/true"]}'
heard 'instead of their folders' 'a program is not looked for in folders'
call 7 diff '{"base":"app","candidate":"app","knockout":true}'
heard 'no GPU here for diff --knockout app app' 'a switch that is on is a word'
call 7 diff '{"base":"app","candidate":"app","knockout":false}'
heard 'no GPU here for diff app app' '  and one that is off is none'
call 7 diff '{"base":"app","candidate":"app","knockout":"yes"}'
heard 'knockout: expected true or false' '  and text is refused'

# ---- what no client would say --------------------------------------------------------------------

for line in nonsense '{' '{"jsonrpc":"2.0","id":1,"method":"ping"} {}' "{'id':1}" '{"a":1e}'; do
    ask "$line"
    heard '"id":null,"error":{"code":-32700' "no JSON: $line"
done
for line in '[]' '1' '"ping"' null '{"id":1}' '{"id":1,"method":1}'; do
    ask "$line"
    heard '"error":{"code":-32600' "no request: $line"
done
ask '{"jsonrpc":"2.0","id":1,"method":"resources/list"}'
heard '"id":1,"error":{"code":-32601' 'an unknown method'
for tool in '{"name":"remove"}' '{"name":1}' '{}' '1' '{"name":"doctor","arguments":[]}'; do
    ask "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":$tool}"
    heard '"id":1,"error":{"code":-32602' "no tool: $tool"
done
ask '{"jsonrpc":"2.0","id":{},"method":"ping"}'
heard '"error":{"code":-32600' 'an object as an id'
ask "$(head -c 100000 /dev/zero | tr '\0' '[')"
heard '"error":{"code":-32700' 'a hundred thousand brackets'
printf 'a\0b\n' >&3
hear
heard '"error":{"code":-32700' 'a byte that is no character'
{ head -c 3000000 /dev/zero | tr '\0' x; echo; } >&3
hear
heard '"error":{"code":-32600,"message":"a message is longer than a megabyte"' 'megabytes of nonsense'
ask '{"jsonrpc":"2.0","id":9,"method":"ping"}'
heard '"id":9,"result":{}' '  after which the server lives on'

# ---- long work -----------------------------------------------------------------------------------

slow='"method":"tools/call","params":{"name":"diff","arguments":{"base":"app","candidate":"slow"}'
ask "{\"jsonrpc\":\"2.0\",\"id\":10,$slow,\"_meta\":{\"progressToken\":\"t\"}}}"
heard '"method":"notifications/progress","params":{"progressToken":"t","progress":' \
    'long work tells its progress'
# started: waits until the slow program has begun; its shell may need some time.
started() {
    seconds=0
    until [ -e started ] || [ $seconds -ge 60 ]; do sleep 1; seconds=$((seconds + 1)); done
}
started
printf '{"jsonrpc":"2.0","id":11,%s}}\n' "$slow" >&3
printf '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}\n' 11 10 12 >&3
until case $reply in *progress*) false ;; esac do ask '{"jsonrpc":"2.0","id":13,"method":"ping"}'; done
heard '"id":13,' 'work that is cancelled has no answer, running or waiting'
call 14 conflicts '{"run":"run"}'
heard '"id":14,' '  and the next call has one'
is "$(cat stopped)" stopped '  after the program has stopped in order'
# gone: waits until the child of the slow program has ended.
gone() {
    seconds=0
    while [ -n "$(tr '\0' ' ' <"/proc/$(cat child)/cmdline")" ] && [ $seconds -lt 60 ]; do
        sleep 1
        seconds=$((seconds + 1))
    done 2>/dev/null
    [ $seconds -lt 60 ]
}
gone
result $? '  and its children, too'
rm started stopped
printf '{"jsonrpc":"2.0","id":15,%s,"_meta":{"progressToken":1}}}\n' "$slow" >&3
hear
heard '"progressToken":1' 'work that goes on'
started
exec 3>&- 4<&-
wait "$server"
is $? 0 '  when the client leaves and reads no more'
is "$(cat stopped)" stopped '  is stopped, too'
gone
result $? '  with its children'
is "$(cat errors)" '' 'the server has said nothing else'

rm started stopped
{ timeout 300 bin/whyfast mcp <to 2>errors; echo $? >status; } | head -n 1 >from &
exec 3>to 4<from
printf '{"jsonrpc":"2.0","id":16,%s,"_meta":{"progressToken":1}}}\n' "$slow" >&3
hear
heard '"progressToken":1' 'a client that reads no more'
started
seconds=0
until [ -s status ] || [ $seconds -ge 60 ]; do sleep 1; seconds=$((seconds + 1)); done
is "$(cat status)" 5 '  is an output that fails'
is "$(cat stopped)" stopped '  and the program is stopped in order'
exec 3>&-
finish
