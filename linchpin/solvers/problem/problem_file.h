// Complementarity problems as text, in three formats (models/problems/README.md has them in full):
//
//     NAME.fc3d.txt    contacts with Coulomb friction      nc, mu, q, W        cones alone
//     NAME.lcp.txt     linear complementarity              n, q, M             nonnegative rows alone
//     NAME.mlcp.txt    mixed linear complementarity        n, m, rows, iscomp, q, M     free and nonnegative rows
//
// One value or one entry `i j value` per line, indices from 0; `#` starts a comment; blank lines are skipped. The
// reader is strict: a value that is missing, superfluous, out of range, not finite or given twice is an error, which
// names the file, the line, the value and what was expected. Numbers are read and written without loss.
//
// Memory use is proportional to the length of the text, whatever sizes the text declares.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "linchpin/base/result.h"
#include "linchpin/solvers/problem/problem.h"

namespace linchpin {

enum class ProblemFormat { fc3d, lcp, mlcp };
std::string_view to_string(ProblemFormat format);  // "fc3d", "lcp", "mlcp"

// The format by the ending of the file name: .fc3d.txt, .lcp.txt, .mlcp.txt; nothing for others.
std::optional<ProblemFormat> format_of_name(std::string_view file);

// The format is `format`, else that of the ending of `file`, else that of the text's first keyword. `file` is otherwise
// used in error messages only.
//
// M is dense if more than half of its blocks are present: the bookkeeping of a block-sparse matrix would then cost more
// than the zeros. Blocks are 3 x 3 in fc3d, the rows of a contact, and single numbers in lcp and mlcp, where M is also
// dense up to 256 rows (half a megabyte).
Result<Problem> parse_problem(std::string_view text, std::string_view file, std::optional<ProblemFormat> format = {});
Result<Problem> read_problem(const std::string& path);

// The format that can hold this problem. There is none for boxes, for cones mixed with other blocks, or for no rows.
Result<ProblemFormat> format_for(const Problem& problem);

// The text of a problem, with seventeen significant digits. Zeros of M are omitted, also those within blocks. `comment`
// is put in front, each of its lines after a `#`.
Result<std::string> problem_text(const Problem& problem, std::string_view comment = {});
std::string solution_text(std::span<const double> z);  // one value per line

// The same into a file; an error if it cannot be written, or if no format can hold the problem.
std::optional<Error> write_problem(const std::string& path, const Problem& problem, std::string_view comment = {});
std::optional<Error> write_solution(const std::string& path, std::span<const double> z);

}  // namespace linchpin
