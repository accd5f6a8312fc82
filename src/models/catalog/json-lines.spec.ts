import { linesOf, withLine } from './json-lines';

const JSON_TEXT = `{
  "media": [],
  "text": [
    {"id": "a, {\\"b\\"]",
      "routes": [
        { "provider": "x" },
        { "provider": "y",
          "model": null } ] },
    7
  ]
}`;

describe('the lines of a JSON text', () => {
  const lines = linesOf(JSON_TEXT);

  it.each([
    ['media', 2],
    ['text', 3],
    ['text[0]', 4],
    ['text[0].id', 4],
    ['text[0].routes[1]', 7],
    ['text[0].routes[1].model', 8],
    ['text[1]', 9],
  ])('%s is in line %i', (path, line) => {
    expect(lines.get(path)).toBe(line);
  });

  it.each([
    ['text[0].routes[1].model must be a text.', 'line 8: text[0].routes[1].model must be a text.'],
    ['text[0] (a b).routes[0].cost is missing', 'line 6: text[0] (a b).routes[0].cost is missing'],
    ['audio is required.', 'audio is required.'],
    ['the id talk occurs twice', 'the id talk occurs twice'],
  ])('a problem has the line of its field: %s', (problem, expected) => {
    expect(withLine(problem, lines)).toBe(expected);
  });
});
