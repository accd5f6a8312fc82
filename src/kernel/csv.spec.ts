import { csvLine } from './csv';

describe('a line for a spreadsheet', () => {
  it.each([
    [['a', 1, 'b c'], 'a,1,b c\r\n'],
    [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"\r\n'],
    [['', 0], ',0\r\n'],
    [[-5, '-5'], "-5,'-5\r\n"],
    [['=1+1', '+1', '@sum', '\tx'], "'=1+1,'+1,'@sum,\"'\tx\"\r\n"],
    [['\rx'], '"\'\rx"\r\n'],
    [["'=1"], "''=1\r\n"],
    [['a-b', 'user@example.com', 'x=1', 'gpt-4o'], 'a-b,user@example.com,x=1,gpt-4o\r\n'],
    [['2026-01-31T00:00:00.000Z'], '2026-01-31T00:00:00.000Z\r\n'],
  ])('of %j says what was meant, and runs nothing', (cells, line) => {
    expect(csvLine(cells)).toBe(line);
  });

  const SEPARATORS = [',', ';', '|', '\t', '\n', '\r', '\r\n', '\v', '\u0085', '\u2028', '"', "'"];
  const SIGNS = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\u2212'];
  const SPACES = ['', ' ', '\u00A0', '\u200B', '   ', '\uFEFF', '\u3000'];

  it('runs nothing for any reader: each separator, each space and each sign', () => {
    const wrong: string[] = [];
    for (const separator of ['', ...SEPARATORS])
      for (const space of SPACES)
        for (const sign of SIGNS) {
          const line = csvLine([
            `${separator === '' ? '' : 'a'}${separator}${space}${sign}cmd|' /C calc'!A0`,
          ]);
          // Each reader splits at its own separator, and removes quotation marks and spaces.
          for (const split of [',', ';', '|', '\t', '\n', '\r', '\v', '\u0085', '\u2028', '"'])
            for (const cell of line.split(split)) {
              const seen = cell.replaceAll(/^["\s\u200B\uFEFF]+/g, '').normalize('NFKC');
              if (/^[=+\-@\u2212]/.test(seen)) wrong.push(JSON.stringify([line, split]));
            }
        }
    expect(wrong).toEqual([]);
  });
});
