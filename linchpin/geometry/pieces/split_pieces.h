// Common parts of the decomposition of meshes and of height fields. A Piece has the members `hull` and `concavity`.
// Private to the room.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "linchpin/geometry/pieces/convex_pieces.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/spatial/message.h"

namespace linchpin {

// The tolerance of the concavity, m, for a shape of this size.
inline Result<double> tolerance_of(const ConvexPiecesOptions& options, double size) {
  const double tolerance = options.concavity > 0 ? options.concavity : options.relative_concavity * size;
  if (!(tolerance > 0 && std::isfinite(tolerance)))
    return Error{message("concavity is ", tolerance, " m; it must be positive and finite")};
  return tolerance;
}

// Splits the piece with the largest concavity (of equal ones the first) until all are within the tolerance.
// split(piece) returns two pieces, or nothing if the piece cannot be split.
template <class Piece, class Split>
void split_worst_first(std::vector<Piece>& pieces, double tolerance, int most_pieces, const Split& split) {
  std::vector<bool> final(pieces.size(), false);
  while (int(pieces.size()) < most_pieces) {
    std::size_t worst = pieces.size();
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (!final[i] && pieces[i].concavity > tolerance &&
          (worst == pieces.size() || pieces[i].concavity > pieces[worst].concavity))
        worst = i;
    if (worst == pieces.size()) return;
    std::optional<std::pair<Piece, Piece>> parts = split(pieces[worst]);
    if (!parts) {
      final[worst] = true;
      continue;
    }
    pieces[worst] = std::move(parts->first);
    pieces.push_back(std::move(parts->second));
    final.push_back(false);
  }
}

template <class Piece>
ConvexPieces gathered(std::vector<Piece>&& pieces) {
  ConvexPieces result{{}, 0};
  std::vector<PlacedShape> parts;
  for (Piece& piece : pieces) {
    result.concavity = std::max(result.concavity, piece.concavity);
    parts.push_back({ConvexHull{std::make_shared<const Hull>(std::move(piece.hull))}});
  }
  result.compound.parts = std::make_shared<const std::vector<PlacedShape>>(std::move(parts));
  return result;
}

}  // namespace linchpin
