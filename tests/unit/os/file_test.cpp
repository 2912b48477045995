#include "os/file.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "os/identity.h"

namespace tl::os {
namespace {

class File : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tl_file_test.XXXXXX";
    directory = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(directory); }
  std::string directory;
};

TEST_F(File, NothingThatExistsIsOverwrittenAndNoLinkFollowed) {
  const std::string wanted = directory + "/out", precious = directory + "/precious";
  std::ofstream(precious) << "precious";
  std::filesystem::create_symlink(precious, wanted);
  std::filesystem::create_symlink(directory + "/nowhere", wanted + ".1");
  umask(0);
  char created[256];
  std::uint64_t suffix = 0;
  const int fd = create_with_free_suffix(wanted.c_str(), created, sizeof created, suffix);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(created, wanted + ".2");
  EXPECT_EQ(write_all(fd, "dump", 4), 4);
  struct stat status {};
  ASSERT_EQ(fstat(fd, &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  close(fd);
  std::string left;
  std::ifstream(precious) >> left;
  EXPECT_EQ(left, "precious");
  EXPECT_FALSE(std::filesystem::exists(directory + "/nowhere"));
  EXPECT_EQ(open_append(wanted.c_str()), -ELOOP);
}

TEST_F(File, ADirectoryThatCannotTakeAFileIsSeen) {
  EXPECT_EQ(check_new_file((directory + "/x").c_str()), 0);
  EXPECT_EQ(check_new_file((directory + "/no/x").c_str()), -ENOENT);
  EXPECT_EQ(check_new_file(directory.c_str()), -EISDIR);
  EXPECT_EQ(check_new_file("/proc/x"), -EOPNOTSUPP);
  std::ofstream(directory + "/plain") << 1;
  EXPECT_EQ(check_new_file((directory + "/plain/x").c_str()), -ENOTDIR);
}

TEST(Identity, AProcessIsKnownByItsStart) {
  EXPECT_EQ(process_start(0), process_start(pid()));
  EXPECT_GT(process_start(0), 0u);
  bool ended;
  EXPECT_EQ(process_start(0x7fffffff, ended), 0u);
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace tl::os
