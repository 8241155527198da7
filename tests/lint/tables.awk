# Prints the tables that scripts of SQL read and make: "FILE reads NAME" and "FILE makes NAME", once
# each. Variable `known`: the names of tables that something makes, one to a line; others are those
# of subqueries.
BEGIN {
    count = split(known, name, "\n")
    for (i = 1; i <= count; i++) is_known[name[i]] = 1
}
function finish(   i, n, word, other, makes, own) {
    if (!file) return
    n = split(text, word, /[^A-Za-z0-9_(]+/)
    for (i = 1; i <= n; i++) {
        sub(/\(.*/, "", word[i])
        if ((word[i] == "TABLE" || word[i] == "VIEW") && word[i - 1] ~ /^(CREATE|TEMP)$/) {
            other = word[i + 1] == "IF" ? word[i + 4] : word[i + 1]
            sub(/\(.*/, "", other)
            makes[other] = 1
        }
        if (word[i + 1] == "AS" && word[i + 2] ~ /^\(/) own[word[i]] = 1
    }
    while (match(text, /[a-z_0-9]+\([a-z_0-9, ]*\) AS \(/)) {
        other = substr(text, RSTART, RLENGTH)
        sub(/\(.*/, "", other)
        own[other] = 1
        text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + RLENGTH)
    }
    for (i = 1; i < n; i++)
        if (word[i] ~ /^(FROM|JOIN|INTO|UPDATE)$/) {
            other = word[i + 1]
            sub(/\(.*/, "", other)
            if (other in is_known && !(other in own) && !(other in makes) && !done[file, other]++)
                print file " reads " other
        }
    for (other in makes) print file " makes " other
}
FNR == 1 {
    finish()
    file = FILENAME
    text = ""
}
{
    gsub(/'[^']*'/, " ") # a comment does not begin within quotes
    sub(/--.*/, "")
    text = text " " $0
}
END { finish() }
