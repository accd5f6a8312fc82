import type { Schemas } from '../parts/api.ts';
import { Select } from '../parts/ui.tsx';

export type MediaModel = Schemas['MediaModelAnswer'];

/** Whether a call can choose if the film has sound. */
export const hasSoundChoice = ({ audio, soundAlways }: MediaModel): boolean => audio && soundAlways !== true;

/** The options of a call besides its prompt. Undefined means the default of the model. */
export interface Options {
  readonly resolution?: string;
  readonly imageSize?: string;
  readonly quality?: string;
  readonly aspectRatio?: string;
  readonly duration?: string;
  readonly audio?: string;
}

const LISTS = [
  { name: 'aspectRatio', list: 'aspectRatios', label: 'Shape' },
  { name: 'resolution', list: 'resolutions', label: 'Resolution' },
  { name: 'imageSize', list: 'imageSizes', label: 'Size' },
  { name: 'quality', list: 'qualities', label: 'Quality' },
  { name: 'duration', list: 'durations', label: 'Length' },
] as const;

const plain = (input: string | undefined, values: readonly (string | number)[]): string | undefined =>
  input !== undefined && values.map(String).includes(input) ? input : undefined;

/** Keeps only the options that the model supports, because the person may have chosen them for another model. */
export const optionsFor = (model: MediaModel, inputs: Options) => {
  const shape = plain(inputs.aspectRatio, model.aspectRatios);
  const resolution = plain(inputs.resolution, model.resolutions);
  // A size also determines the aspect ratio, so the two could contradict each other.
  const imageSize = shape === undefined ? plain(inputs.imageSize, model.imageSizes) : undefined;
  const duration = plain(inputs.duration, model.durations);
  return {
    aspectRatio: shape,
    resolution,
    imageSize,
    quality: plain(inputs.quality, model.qualities ?? []),
    duration: duration === undefined ? undefined : Number(duration),
    audio: hasSoundChoice(model) && inputs.audio === 'no' ? false : undefined,
  };
};

/** The controls for the options of a model. */
export const MediaOptions = ({
  model,
  inputs,
  onChoose,
}: {
  readonly model: MediaModel;
  readonly inputs: Options;
  readonly onChoose: (changes: Options) => void;
}) => (
  <>
    {LISTS.map(({ name, list, label }) => {
      const values = model[list] ?? [];
      if (values.length < 2 || (name === 'aspectRatio' && model.imageSizes.length > 0)) return null;
      return (
        <Select
          key={name}
          label={label}
          choices={values.map((value) => ({
            value: String(value),
            text: name === 'duration' ? `${value} seconds` : String(value),
          }))}
          value={plain(inputs[name], values) ?? String(values[0])}
          onChoose={(value) => onChoose({ [name]: value })}
        />
      );
    })}
    {model.soundAlways === true ? <p class="hint">Its films always have sound.</p> : null}
    {hasSoundChoice(model) ? (
      <label class="check">
        <input
          type="checkbox"
          checked={inputs.audio !== 'no'}
          onChange={(event) => onChoose({ audio: event.currentTarget.checked ? undefined : 'no' })}
        />
        With sound
      </label>
    ) : null}
  </>
);

const MODE_NAMES: Readonly<Record<string, string>> = {
  t2i: 'text to image',
  i2i: 'image to image',
  t2v: 'text to video',
  i2v: 'image to video',
  swap: 'swap a face or subject',
  motion: 'move an image like a clip',
  chat: 'text',
};

export const modeName = (mode: string): string => MODE_NAMES[mode] ?? mode;
