import { SampleNotesService } from './sample-notes.service';

describe('sample notes', () => {
  it.each([
    ['', 0],
    [' a red  fox ', 3],
  ])('counts the words of "%s": %i', (text, words) => {
    expect(new SampleNotesService().measure({ text })).toEqual({ words });
  });
});
