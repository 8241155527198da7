# shellcheck shell=sh
# To be sourced after tests/tap.sh. Makes a repository of 40 commits after the first one, in which
# four kernels become slower: by the type of an index (8), a loop that is no longer unrolled (16), a
# bank conflict (25), and a spill (34). Commits 5 and 20 cannot be built. The tags are c0 to c40. The
# script that builds, build.sh, is there already.

# commit SUBJECT: commits what is there and names it by its number.
commit() {
    echo "$number" >log.txt
    git add -A && git -c user.name=x -c user.email=x@localhost commit -q -m "$1" &&
        git tag "c$number" && number=$((number + 1))
}
git init -q .
cp "$ROOT/tests/gpu/bisect/kernels.cu" .
echo bench >.gitignore
number=0
commit 'Add four kernels'
while [ "$number" -le 40 ]; do
    case $number in
    5 | 20) sed -i '1i #error' kernels.cu && commit 'Break the build' ;;
    6 | 21) sed -i 1d kernels.cu && commit 'Mend the build' ;;
    8) sed -i 's/for (int i = blockIdx/for (long long i = blockIdx/' kernels.cu &&
        commit 'Use wide indices' ;;
    12) sed -i '1i // Four kernels.' kernels.cu && commit 'Add a comment' ;;
    16) sed -i '0,/#pragma unroll/s//#pragma unroll 1/' kernels.cu && commit 'Shorten the code' ;;
    25) sed -i 's/\[33\]/[32]/' kernels.cu && commit 'Save shared memory' ;;
    34) sed -i 's/(THREADS, 1)/(THREADS, 8)/' kernels.cu && commit 'Ask for more blocks' ;;
    *) commit "Write line $number" ;;
    esac
done
