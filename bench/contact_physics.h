// What must come out of scenes with contact, by closed forms or because nothing may move. One number for each engine
// and scene, the smaller the better, judged alike for all from where the bodies are (contact_scene.h).
//
// | metric        | scene                      | number                                                               |
// |---------------|----------------------------|----------------------------------------------------------------------|
// | creep         | @slope, 20 degrees         | m, downhill, of a box that friction holds                            |
// | slide         | @slope:angle=35            | distance after 1 s over g (sin - mu cos)/2, off 1                    |
// | isotropy      | the same, headed elsewhere | how much that distance differs with the heading                      |
// | apex          | @bounce                    | heights of three apexes over e^2, e^4, e^6 of the first, off 1       |
// | energy gained | @bounce:restitution=1      | highest apex over the start, less 1                                  |
// |               | @painleve                  | highest energy less that at the start, over the kinetic energy then  |
// | unflagged     | @painleve                  | 0 if the engine said that there is a paradox, 1 if it did not        |
// | rolling       | @roll                      | speed in the end over 5/7 of that at the start, off 1                |
// | top moves     | @stack, @arch              | m, of the top one of what should stand still                         |
// | penetration   | several                    | m, the deepest of any step                                           |
// | slip          | @grip                      | m, down, of a capsule held by twice the friction that it needs       |
// | standing      | @dominoes                  | pieces that have not fallen                                          |
// | wave          | @dominoes                  | how fast they fall, over the same engine's at a tenth of dt, off 1   |
// | sinks         | @stand, @stand4            | m, of the trunk, some seconds after a push to the side               |
// | feet move     | the same                   | m, the farthest of what touches the floor                            |
// | still moving  | @pile, @balls, poured      | m/s, at the end, over a tenth of a second: all but 1 % are slower    |
// | the fastest   | the same                   | m/s, of all of them                                                  |
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/contact_scene.h"

namespace linchpin {

// A scene with its model; engines keep references.
struct Stage {
  explicit Stage(ModelSpec made);
  explicit Stage(const std::string& scene_text);
  Stage(const Stage&) = delete;
  ModelSpec spec;
  Model model;
  SceneJudge judge;
};

// How an engine is to go over a scene.
struct Course {
  double dt = 0, seconds = 0;             // s
  std::string body;                       // that is looked at
  double budget = 10;                     // s of processor time, judging included
  std::optional<Vec3<double>> push = {};  // N, on that body, for the first tenth of a second
  bool energy = false;                    // is it to be judged?
};

// What came of it.
struct Track {
  const Model* model = nullptr;
  double dt = 0;
  std::vector<Vec3<double>> path;             // of the body that is looked at, from the start on
  std::vector<Transform<double>> start, end;  // all bodies
  std::vector<double> turned_at;              // by body, s: when it had turned by half a right angle; infinite: never
  std::vector<double> late_speeds;            // m/s, of all bodies over the last tenth of a second, falling
  double energy_gained = 0;                   // the most, over the kinetic energy at the start
  double penetration = 0;                     // the deepest of all steps
  double residual = 0;                        // the largest of all steps
  std::optional<int> paradoxes;               // of all steps
  double contacts = 0;                        // on average
  double us = 0;                              // per step, on average
  std::string failure;                        // why it ended early
  bool too_slow = false;                      // is that for its budget?
  Vec3<double> moved() const { return path.back() - path.front(); }
};

// Every step is judged. The engine has loaded the scene.
Track follow(ContactEngine& engine, Stage& stage, const Course& course);

struct Measure {
  std::string metric, unit;
  std::function<double(const Track&)> of;  // NaN: there is no such number
  std::optional<double> target = {};       // at most
};

struct PhysicsCase {
  std::string name, scene;
  Course course;
  std::vector<Measure> measures;
  bool quick = true;
};

std::vector<PhysicsCase> physics_cases(bool quick);
// Those that take long: spheres that are poured in a bin, timed as well.
std::vector<PhysicsCase> poured_cases(bool quick);

// m along the slope's own direction down, which is x turned by `heading` about the vertical.
double downhill(const Track& track, double degrees, double heading = 0);
// m: how far a box gets in t.
double slid(double degrees, double mu, double t);
// m/s: how fast pieces in a row fall one after the other, the first quarter of them left out. NaN: not all did.
double wave_speed(const Track& track);

}  // namespace linchpin
