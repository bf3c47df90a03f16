// json_at FILE POINTER: prints the value at a JSON pointer (RFC 6901), so that tests can look into JSON without other
// tools. Status 1 when FILE is not JSON or has no value there. A pointer that ends in /# prints the number of elements.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

int main(int count, char** words) {
  if (count != 3) return std::fputs("usage: json_at FILE POINTER\n", stderr), 2;
  try {
    std::ifstream file(words[1]);
    const nlohmann::json json = nlohmann::json::parse(file);
    std::string pointer = words[2];
    const bool size = pointer.ends_with("/#");
    if (size) pointer.resize(pointer.size() - 2);
    const nlohmann::json& value = json.at(nlohmann::json::json_pointer(pointer));
    if (size)
      std::cout << value.size() << '\n';
    else if (value.is_string())
      std::cout << value.get<std::string>() << '\n';
    else
      std::cout << value << '\n';
  } catch (const std::exception& fault) {
    std::cerr << "json_at: " << words[1] << ' ' << words[2] << ": " << fault.what() << '\n';
    return 1;
  }
}
