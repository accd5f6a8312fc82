import type { MediaMode } from '../media-mode';
import type { MediaRequest } from '../media-provider';
import { makesSize, takesOptionalInputs, toSubmission } from './runway.wire';

const FILM: MediaRequest = {
  model: 'gen4.5',
  mode: 't2v',
  prompt: 'waves',
  seconds: 5,
  audio: false,
  ourId: 'job_1',
};
const PICTURE: MediaRequest = { ...FILM, model: 'gen4_image', mode: 't2i', seconds: undefined };

describe('the tasks of Runway', () => {
  it('have the first ratio of the model if work from a picture names none', () => {
    const film: MediaRequest = { ...FILM, mode: 'i2v', usualRatio: '9:16' };
    expect(toSubmission(film, { image: 'data:1' }).json).toMatchObject({ ratio: '720:1280' });
    expect(toSubmission({ ...film, aspectRatio: '16:9' }, { image: 'data:1' }).json).toMatchObject({
      ratio: '1280:720',
    });
    const edit: MediaRequest = { ...PICTURE, mode: 'i2i', resolution: '720p', usualRatio: '16:9' };
    expect(toSubmission(edit, { image: 'data:1' }).json).toMatchObject({ ratio: '1280:720' });
  });

  it('make pictures, with references if there are source pictures', () => {
    expect(toSubmission({ ...PICTURE, resolution: '1080p', aspectRatio: '4:3', seed: 7 }, {})).toEqual({
      path: 'text_to_image',
      json: { model: 'gen4_image', promptText: 'waves', ratio: '1440:1080', seed: 7 },
    });
    expect(
      toSubmission(
        { ...PICTURE, model: 'gen4_image_turbo', mode: 'i2i' },
        { image: 'data:1', sources: ['data:2'] },
      ),
    ).toEqual({
      path: 'text_to_image',
      json: {
        model: 'gen4_image_turbo',
        promptText: 'waves',
        referenceImages: [{ uri: 'data:1' }, { uri: 'data:2' }],
        ratio: '720:720',
      },
    });
  });

  it.each<[MediaMode, string, readonly string[], readonly string[]]>([
    ['t2v', 'gen4.5', ['720p 16:9', '720p 9:16'], ['720p 1:1', '720p 21:9', '1080p 16:9']],
    ['i2v', 'gen4.5', ['720p 1:1', '720p 4:3', '720p 21:9'], ['1080p 16:9']],
    ['i2v', 'gen4_turbo', ['720p 3:4'], ['1080p 16:9', '4K 16:9']],
    ['t2v', 'gen4_turbo', [], ['720p 16:9']],
    ['t2v', 'veo3', ['720p 16:9', '1080p 9:16'], ['720p 1:1']],
    ['i2v', 'veo3.1_fast', ['1080p 16:9'], ['720p 4:3', '4K 16:9']],
    ['t2i', 'gen4_image', ['720p 1:1', '1080p 16:9'], ['1K 1:1', '1080p 21:9']],
    ['t2i', 'gen4_image_turbo', [], ['720p 1:1']],
    ['i2i', 'gen4_image_turbo', ['720p 21:9'], ['2K 1:1']],
    ['t2i', 'gemini_2.5_flash', ['1K 16:9', '1K 4:5'], ['720p 16:9', '2K 1:1']],
    ['t2v', 'a_model_of_next_year', ['720p 16:9', '1080p 9:16'], ['4K 16:9']],
  ])('have the sizes of each mode and model: %s with %s', (mode, model, made, unmade) => {
    const isMade = (size: string): boolean => {
      const [resolution, aspectRatio] = size.split(' ');
      return makesSize(mode, { resolution, aspectRatio }, model);
    };

    expect(made.filter((size) => !isMade(size))).toEqual([]);
    expect(unmade.filter(isMade)).toEqual([]);
    expect(makesSize(mode, { imageSize: '1024x1024' }, model)).toBe(false);
  });

  it.each<[string, readonly number[], readonly number[]]>([
    ['gen4.5', [2, 5, 10], [1, 11]],
    ['veo3', [8], [4, 6]],
    ['veo3.1', [4, 6, 8], [5, 10]],
  ])('refuse films of another length: %s', (model, made, unmade) => {
    for (const seconds of made) {
      expect(toSubmission({ ...FILM, model, seconds }, {}).json).toMatchObject({ duration: seconds });
    }
    for (const seconds of unmade) {
      expect(() => toSubmission({ ...FILM, model, seconds }, {})).toThrow('nothing of this size');
    }
  });

  it('ask for silence where sound is the default and costs more', () => {
    const sent = (model: string, audio: boolean): object =>
      toSubmission({ ...FILM, model, seconds: 8, audio }, {}).json;

    expect(sent('veo3.1', false)).toHaveProperty('audio', false);
    expect(sent('veo3.1_fast', true)).toHaveProperty('audio', true);
    expect(sent('veo3', true)).not.toHaveProperty('audio');
    expect(sent('gen4.5', false)).not.toHaveProperty('audio');
    expect(() => sent('gen4.5', true)).toThrow('no sound');
  });

  it('take no picture that is too long, and no more than three', () => {
    const open = (): never => {
      throw new Error('Nobody reads it.');
    };
    const picture = { kind: 'image', mime: 'image/png', bytes: 9, open } as const;
    const edit: MediaRequest = { ...PICTURE, mode: 'i2i', image: picture };

    const sources = [picture, picture, picture];
    expect(() => toSubmission({ ...edit, sources }, { image: 'data:1' })).toThrow('more than three');
    const long = { ...picture, bytes: 3_300_001 };
    expect(() => toSubmission({ ...edit, sources: [long] }, { image: 'data:1' })).toThrow('of this length');
  });

  it('give a seed to the models of Runway only', () => {
    expect(takesOptionalInputs('t2i', 'gen4_image')).toEqual(['seed']);
    expect(takesOptionalInputs('t2i', 'gemini_2.5_flash')).toEqual([]);
  });
});
