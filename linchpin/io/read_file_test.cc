#include "linchpin/io/read_file.h"

#include <fstream>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace linchpin {
namespace {

class ReadFile : public testing::Test {
 protected:
  ReadFile() : folder_(std::filesystem::temp_directory_path() / ("linchpin_read_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ReadFile() override { std::filesystem::remove_all(folder_); }
  std::string fault(const std::filesystem::path& file, std::size_t most) const {
    const Result<std::string> content = read_file(file, most);
    return content ? "it was read" : content.error().message;
  }
  std::filesystem::path folder_;
};

TEST_F(ReadFile, ReadsUpToTheLimit) {
  const std::filesystem::path file = folder_ / "a";
  for (const std::size_t size : {0, 1, 4095, 4096, 4097, 100'000}) {
    const std::string text(size, 'x');
    std::ofstream(file, std::ios::binary) << text;
    for (const std::size_t more : {0, 1, 100'000}) EXPECT_EQ(read_file(file, size + more).value(), text);
    if (size == 0) continue;
    EXPECT_EQ(fault(file, size - 1),
              file.string() + ": the file is too long: at most " + std::to_string(size - 1) + " bytes are read");
  }
}

TEST_F(ReadFile, RefusesWhatIsNoFile) {
  EXPECT_EQ(fault(folder_ / "none", 10), (folder_ / "none").string() + ": cannot be read: no such file");
  EXPECT_EQ(fault(folder_, 10), folder_.string() + ": cannot be read: it is a folder, not a file");
  EXPECT_EQ(fault("/dev/zero", 10), "/dev/zero: cannot be read: it is not a file, but a device or a socket");
}

TEST_F(ReadFile, ReadsAPipeUpToTheLimit) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string text(50'000, 'x');
  for (const std::size_t most : {50'000, 49'999}) {
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << text; });
    const Result<std::string> content = read_file(pipe, most);
    writer.join();
    EXPECT_EQ(content.ok(), most == text.size());
    EXPECT_EQ(content ? content.value() : text, text);
  }
}

}  // namespace
}  // namespace linchpin
