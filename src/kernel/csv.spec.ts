import { csvLine } from './csv';

describe('a line for a spreadsheet', () => {
  it.each([
    [['a', 1, 'b c'], 'a,1,b c\r\n'],
    [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"\r\n'],
    [['', 0], ',0\r\n'],
    [[-5, '-5'], "-5,'-5\r\n"],
    [['=1+1', '+1', '@sum', '\tx'], "'=1+1,'+1,'@sum,'\tx\r\n"],
    [['\rx'], '"\'\rx"\r\n'],
  ])('of %j says what was meant, and runs nothing', (cells, line) => {
    expect(csvLine(cells)).toBe(line);
  });
});
