// SPDX-License-Identifier: MIT
// A program with virtual functions, type information and exceptions: pointers that relocation writes.
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>

extern "C" int sample_check(void);

struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
};

template <int N> struct polygon : shape {
	double area() const override
	{
		if (N == 7)
			throw std::range_error("seven");
		return N * 1.5;
	}
};

static const std::map<std::string, int> names = {{"three", 3}, {"four", 4}};

int main()
{
	std::unique_ptr<shape> shapes[] = {std::make_unique<polygon<3>>(), std::make_unique<polygon<4>>(),
		std::make_unique<polygon<7>>()};
	double sum = 0;

	for (const auto &one : shapes)
		try {
			sum += one->area();
			std::cout << typeid(*one).name() << " " << !!dynamic_cast<polygon<4> *>(one.get()) << "\n";
		} catch (const std::exception &error) {
			std::cout << "caught " << error.what() << "\n";
		}
	std::cout << sum << " " << names.at("four") << " " << sample_check() << "\n";
	return 0;
}
