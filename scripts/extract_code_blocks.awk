# Writes the fenced code blocks of one language in a Markdown page to files, one file per block.
#
#   awk -v language=cpp -v prefix=DIR/page_ -v suffix=.cc -f scripts/extract_code_blocks.awk PAGE.md
#
# Block k becomes DIR/page_k.cc (k counts from 1), and each file name is printed on a line of its own. A C++ block
# begins with a #line directive, so that the compiler's messages name the page and its line. Status 1 for a fence that
# is not closed.

function finish() {
  close(file)
  inside = 0
}

/^[ \t]*```/ {
  if (inside) {
    finish()
  } else if (other) {
    other = 0
  } else if ($0 == "```" language) {
    inside = 1
    file = prefix (++count) suffix
    print file
    printf "" >file
    if (language == "cpp") printf "#line %d \"%s\"\n", FNR + 1, FILENAME >file
  } else {
    other = 1  # a block of another language
  }
  next
}

inside { print >file }

END {
  if (inside || other) {
    print FILENAME ": a code block is not closed" >"/dev/stderr"
    exit 1
  }
}
