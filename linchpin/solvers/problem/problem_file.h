// Complementarity problems as text, in three formats (models/problems/README.md has them in full):
//
//     NAME.fc3d.txt    contacts with Coulomb friction      nc, mu, q, W        cones alone
//     NAME.lcp.txt     linear complementarity              n, q, M             nonnegative rows alone
//     NAME.mlcp.txt    mixed linear complementarity        n, m, rows, iscomp, q, M     free and nonnegative rows
//
// One value or one entry `i j value` per line, indices from 0, `#` to the end of a line is a comment, blank lines are
// skipped. The reader is strict: what is missing, left over, out of range, not finite or given twice is an error that
// names file, line, value and what was expected there. Numbers come back to the last bit.
//
// The memory taken is in proportion to the length of the text, whatever sizes the text claims.
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

// By the file name's ending: .fc3d.txt, .lcp.txt, .mlcp.txt; nothing for others.
std::optional<ProblemFormat> format_of_name(std::string_view file);

// The format is `format`, else what the ending of `file` says, else what the text begins with. `file` is otherwise for
// errors only.
//
// M is dense where more than half of the blocks that it could have are there: beyond that, the bookkeeping of a
// block-sparse matrix costs more than the zeros do. Blocks are 3 x 3 in fc3d, a contact's rows together, and single
// numbers in lcp and mlcp, where M is also dense up to 256 rows (half a megabyte).
Result<Problem> parse_problem(std::string_view text, std::string_view file, std::optional<ProblemFormat> format = {});
Result<Problem> read_problem(const std::string& path);

// The format that holds this problem: boxes, and cones beside other blocks, have none, nor has a problem without rows.
Result<ProblemFormat> format_for(const Problem& problem);

// Seventeen significant digits. Zeros of M are left out, so the text of a block-sparse matrix has no blocks of zeros.
// `comment` is put in front, each of its lines after a `#`.
Result<std::string> problem_text(const Problem& problem, std::string_view comment = {});
std::string solution_text(std::span<const double> z);  // one value per line

// The same into a file; an error if that cannot be done, or if there is no format for the problem.
std::optional<Error> write_problem(const std::string& path, const Problem& problem, std::string_view comment = {});
std::optional<Error> write_solution(const std::string& path, std::span<const double> z);

}  // namespace linchpin
