// The time of the chain's compliance W at its ends by each engine, without the rest of a step: what forces on a link
// cost each of them. For the reproduction of 002 figure 6.
#pragma once

#include "apps/reproduce/engine_chain.h"

namespace linchpin {

// us, by engine: of P alone, and of P and Q.
struct ResponseTimes {
  int rods = 0;
  double p[chain_engines] = {}, p_and_q[chain_engines] = {};
};
ResponseTimes time_responses(const Model& model, int rods);

}  // namespace linchpin
