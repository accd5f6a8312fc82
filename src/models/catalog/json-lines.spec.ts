import { linesOf, parsedJson, withLine } from './json-lines';

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
    ['text[0] (a b).aliases[1]: b occurs twice', 'line 4: text[0] (a b).aliases[1]: b occurs twice'],
    ['audio is required.', 'line 1: audio is required.'],
    ['The body must be of type object.', 'line 1: The body must be of type object.'],
  ])('a problem has the line of its field: %s', (problem, expected) => {
    expect(withLine(problem, lines)).toBe(expected);
  });

  it('are those of the last of two equal keys, which JSON reads', () => {
    const twice = linesOf('{"text": [\n{"id": "a",\n"id": 5}\n],\n"text": [\n{"id": 6}]}');
    expect([twice.get('text'), twice.get('text[0].id')]).toEqual([5, 6]);
    expect(linesOf('{"id": "a",\n"id": 5}').get('id')).toBe(2);
  });

  it('are found beside a very long text and a very deep value', () => {
    const deep = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000);
    const long = linesOf(`{"long": "${'x\\n'.repeat(3_000_000)}",\n"deep": ${deep},\n"last": 1}`);
    expect([long.get('deep'), long.get('last')]).toEqual([2, 3]);
    expect(long.size).toBeLessThan(100);
  });
});

describe('a broken JSON text', () => {
  it.each([
    ['{"a": [1,\n  2,\n]}', 'line 3, column 1'],
    ['{"a": 1,\n}', 'line 2, column 1'],
    ['{"a": 1\n "b": 2}', 'line 2, column 2'],
    ['{"a": 1\r\n,, "b": 2}', 'line 2, column 2'],
    ['{"a": tru}', 'line 1, column 10'],
    ['{"a": "x\ny"}', 'line 1, column 9'],
    ['{"a": "\\q"}', 'line 1, column 9'],
    ['{"a": 1}\n{}', 'line 2, column 1'],
    ["{'a': 1}", 'line 1, column 2'],
    ['{"a": {\n', 'line 2, column 1'],
    ['', 'line 1, column 1'],
  ])('names the place of the mistake: %j', (json, place) => {
    expect(() => parsedJson(json)).toThrow(new RegExp(`^${place}: `));
  });

  it('is none if it is whole', () => {
    expect(parsedJson(JSON_TEXT)).toEqual(JSON.parse(JSON_TEXT));
  });
});
