// SPDX-License-Identifier: Apache-2.0
// A model at several instruction-set levels in one program. This file is compiled once, without flags of a level: it
// sees the C interface alone. The level is the highest that the processor runs, the one that the environment variable
// TKL_ARCH names, or the one that the second argument names.
#include <tkl/c_api.h>

#include <cstdio>
#include <cstring>

int main(int count, char** arguments) {
  if (count < 2) return std::puts("usage: example_04_dispatch WEIGHTS [LEVEL]"), 2;
  char error[256];
  if (count > 2 && tkl_select_level(arguments[2], error, sizeof error) != 0) return std::puts(error), 1;
  tkl_model* const model = tkl_model_open("scores", arguments[1], error, sizeof error);
  if (model == nullptr) return std::puts(error), 1;
  std::printf("level %s\n", std::strchr(tkl_version(), ' ') + 1);

  const float features[8] = {0.5F, -1, 0.25F, 2, -0.5F, 1, 0, 0.75F};
  float scores[3] = {};
  const void* const inputs[] = {features};
  void* const outputs[] = {scores};
  tkl_workspace* const workspace = tkl_workspace_create(model, 1, error, sizeof error);
  const bool good = workspace != nullptr && tkl_model_run(model, workspace, inputs, outputs, error, sizeof error) == 0;
  if (good)
    std::printf("scores %.4f %.4f %.4f\n", double{scores[0]}, double{scores[1]}, double{scores[2]});
  else
    std::puts(error);
  tkl_workspace_destroy(workspace);
  tkl_model_close(model);
  return good ? 0 : 1;
}
