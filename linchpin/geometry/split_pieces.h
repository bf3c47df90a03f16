// Splits the worst piece until all are good enough. Private to the room.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace linchpin {

// A Piece has its `concavity`; split(piece) gives two, or none when it knows no way. Of equals the first is split.
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

}  // namespace linchpin
