# The skipped tests of a JUnit file of ctest, by reason: lines "skipped: COUNT REASON", most frequent first. Run by
# ./test.
#
# The reason is the line after "FILE:LINE: Skipped", as GTEST_SKIP() << "reason" prints it, or what follows "skipped: ".
/<testcase / {
  name = $0
  sub(/.*<testcase name="/, "", name)
  sub(/" classname=.*/, "", name)
  reason = /status="disabled"/ ? "disabled" : "no reason given by " name
  skipped = /status="disabled"/
  next_line = 0
}
/<skipped / { skipped = 1 }
next_line && NF { reason = $0 }
{ next_line = /: Skipped$/ }
/(^|>)skipped: / { reason = $0; sub(/.*skipped: /, "", reason); sub(/<\/system-out>.*/, "", reason) }
/<\/testcase>/ && skipped { count[reason]++ }
END {
  for (reason in count) {
    text = reason
    gsub(/&lt;/, "<", text)
    gsub(/&gt;/, ">", text)
    gsub(/&quot;/, "\"", text)
    gsub(/&apos;/, "'", text)
    gsub(/&amp;/, "\\&", text)
    printf "skipped: %4d %s\n", count[reason], text | "sort -k2,2nr -k3"
  }
}
