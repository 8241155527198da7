# Prints a lines.csv with the code in every row: rows that refer to another kernel's (code_of, the
# last column) get its cells source, line, inlined_at and sass. Tables without the column are
# printed as they are.
BEGIN { FS = "," }
FNR == 1 { refers = $NF == "code_of" }
FNR == 1 || !refers { print; next }
{
    rest = substr($0, length($1 FS $2 FS) + 1)
    if ($NF == "") {
        match(rest, /^[^,]*,[^,]*,[^,]*,("([^"]|"")*"|[^,"]*),/)
        code[$1, $2] = substr(rest, 1, RLENGTH)
    } else {
        sub(/[^,]*$/, "", rest)
        rest = code[$NF, $2] substr(rest, length(",,,,") + 1)
    }
    print $1 FS $2 FS rest
}
