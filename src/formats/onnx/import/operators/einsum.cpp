// Einsum: https://onnx.ai/onnx/operators/onnx__Einsum.html
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// An operand and the name of each of its dimensions: a letter, or '0' and on for those of "...".
struct Term {
  MLOperand x;
  std::string names;
};

/// "ij,...k->..." with '0' and on in place of "...", right-aligned.
std::string without_ellipsis(Call& c, std::string_view text, std::size_t ellipsis_rank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == ' ') continue;
    if (letter == '.') {
      if (text.substr(i, 3) != "...") c.refuse(fail("a '.' that is not one of \"...\""));
      i += 2;
      for (std::size_t d = 0; d < ellipsis_rank; ++d)
        out += static_cast<char>('0' + max_rank - ellipsis_rank + d);
    } else if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')) {
      out += letter;
    } else {
      c.refuse(fail("the character {} in its equation", in_quotes(std::string(1, letter))));
    }
  }
  return out;
}

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char l) { return l != ' ' && l != '.'; }));
}

/// A name that occurs twice in a term takes the diagonal.
Term without_repeats(Call& c, Term t) {
  for (std::size_t i = 0; i < t.names.size(); ++i) {
    const std::size_t j = t.names.find(t.names[i], i + 1);
    if (j == std::string::npos) continue;
    SizeList shape = formats::sizes_of(t.x), line(t.x.rank(), 1);
    const Size n = shape[i];
    if (Call::differ(shape[j], n))
      c.refuse(fail("a name is given to dimensions of different sizes"));
    shape[j] = 1;
    line[i] = n;
    const MLOperand at = c.expand(c.numbers(int32, line, n), shape);
    const auto axis = static_cast<std::uint32_t>(j);
    t.x = c.without_one(c.b.gatherElements(t.x, at, {.axis = axis}), axis);
    t.names.erase(j, 1);
    --i;
  }
  return t;
}

/// Sums over the dimensions whose names are not in `kept`.
Term summed(Call& c, Term t, std::string_view kept) {
  Dims axes;
  std::string names;
  for (std::uint32_t i = 0; i < t.names.size(); ++i)
    if (kept.find(t.names[i]) == std::string_view::npos) axes.push_back(i);
    else names += t.names[i];
  if (!axes.empty()) t.x = c.b.reduceSum(t.x, {.axes = axes});
  return {t.x, names};
}

/// The dimensions in the order of `names`, with a size of 1 for those that t does not have.
MLOperand arranged(Call& c, const Term& t, std::string_view names) {
  const SizeList sizes = formats::sizes_of(t.x);
  Dims order;
  SizeList shape;
  for (char name : names) {
    const std::size_t at = t.names.find(name);
    if (at != std::string::npos) order.push_back(static_cast<std::uint32_t>(at));
    shape.push_back(at == std::string::npos ? Size(1) : sizes[at]);
  }
  return c.reshaped(c.permuted(t.x, order), shape);
}

Size product(const SizeList& d, std::size_t from, std::size_t to) {
  return formats::product(
      {d.begin() + static_cast<std::ptrdiff_t>(from), d.begin() + static_cast<std::ptrdiff_t>(to)});
}

/// The product of two terms, summed over the names that neither the rest nor the result needs: as a
/// product of matrices with batches.
Term multiplied(Call& c, Term a, Term b, std::string_view kept) {
  std::string batch, rows, columns, inner;
  const auto in = [](std::string_view text, char l) {
    return text.find(l) != std::string_view::npos;
  };
  a = summed(c, a, std::string(kept) + b.names);
  b = summed(c, b, std::string(kept) + a.names);
  for (char l : a.names) (!in(b.names, l) ? rows : in(kept, l) ? batch : inner) += l;
  for (char l : b.names)
    if (!in(a.names, l)) columns += l;
  const std::string names = batch + rows + columns;
  if (inner.empty() || !types::floats.contains(a.x.dataType())) {
    const std::string all = names + inner;
    MLOperand y = c.b.mul(arranged(c, a, all), arranged(c, b, all));
    return summed(c, {y, all}, names);
  }
  const MLOperand left = arranged(c, a, batch + rows + inner);
  const MLOperand right = arranged(c, b, batch + inner + columns);
  const std::size_t n = batch.size();
  // Dimensions of size 1 broadcast, also those of the inner ones.
  SizeList shape;
  const SizeList ls = formats::sizes_of(left), rs = formats::sizes_of(right);
  for (std::size_t i = 0; i < inner.size(); ++i)
    if (Call::differ(ls[n + rows.size() + i], rs[n + i]))
      c.refuse(fail("a name is given to dimensions of different sizes"));
  SizeList l(ls.begin(), ls.begin() + static_cast<std::ptrdiff_t>(n)),
      r(rs.begin(), rs.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = 0; i < n; ++i) shape.push_back(l[i].is(1) ? r[i] : l[i]);
  l.push_back(product(ls, n, n + rows.size()));
  l.push_back(product(ls, n + rows.size(), ls.size()));
  r.push_back(product(rs, n, n + inner.size()));
  r.push_back(product(rs, n + inner.size(), rs.size()));
  const MLOperand y = c.b.matmul(c.reshaped(left, l), c.reshaped(right, r), {.label = c.label()});
  shape.insert(shape.end(), ls.begin() + static_cast<std::ptrdiff_t>(n),
               ls.begin() + static_cast<std::ptrdiff_t>(n + rows.size()));
  shape.insert(shape.end(), rs.begin() + static_cast<std::ptrdiff_t>(n + inner.size()), rs.end());
  return {c.reshaped(y, shape), names};
}

/// Without "->" the names that occur once, in the order of the alphabet.
std::string implicit_result(const std::vector<std::string>& terms) {
  std::map<char, int> times;
  for (const std::string& names : terms)
    for (char l : names) ++times[l];
  std::string names;
  for (const auto& [l, n] : times)
    if (n == 1 || l < 'A') names += l;
  return names;
}

void einsum(Call& c) {
  const std::string_view equation = c.text("equation", "");
  const std::size_t arrow = equation.find("->");
  const std::string_view left = equation.substr(0, arrow);
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= left.size();) {
    const std::size_t end = std::min(left.find(',', at), left.size());
    parts.push_back(left.substr(at, end - at));
    at = end + 1;
  }
  if (parts.size() != c.inputs())
    c.refuse(fail("its equation has {} terms, but it has {} inputs", parts.size(), c.inputs()));
  std::vector<Term> terms;
  std::vector<std::string> written;
  std::size_t ellipsis_rank = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const MLOperand x = c.x(i);
    const std::size_t letters = letters_in(parts[i]);
    const bool ellipsis = parts[i].find('.') != std::string_view::npos;
    if (letters > x.rank() || (!ellipsis && letters != x.rank()))
      c.refuse(
          fail("term {} of its equation does not have the rank ({}) of the input", i, x.rank()));
    const std::size_t rank = x.rank() - letters;
    ellipsis_rank = std::max(ellipsis_rank, rank);
    written.push_back(without_ellipsis(c, parts[i], rank));
    terms.push_back(without_repeats(c, {x, written.back()}));
  }
  const std::string result = arrow == std::string_view::npos
                                 ? implicit_result(written)
                                 : without_ellipsis(c, equation.substr(arrow + 2), ellipsis_rank);
  Term all = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) {
    std::string kept = result;
    for (std::size_t k = i + 1; k < terms.size(); ++k) kept += terms[k].names;
    all = multiplied(c, all, terms[i], kept);
  }
  all = summed(c, all, result);
  for (std::size_t i = 0; i < result.size(); ++i)
    if (all.names.find(result[i]) == std::string::npos ||
        result.find(result[i], i + 1) != std::string::npos)
      c.refuse(fail("its result has a name that occurs twice or in no term"));
  c.put(c.b.identity(arranged(c, all, result), {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {"Einsum", &einsum, 12, 1, many, 1, "as products of matrices"},
};

}  // namespace

std::span<const Handler> einsum_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
