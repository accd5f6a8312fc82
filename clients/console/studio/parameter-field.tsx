import type { Parameter } from './playground.ts';
import { attachedName } from './playground.ts';
import { problemOf } from './inputs.ts';
import { Field, Select, TextInput } from '../parts/ui.tsx';

/** The document marks code by backticks. A hint shows the words as plain text. */
const plain = (about: string | undefined): string | undefined => about?.replaceAll('`', '');

/** Whether the parameter accepts a clip; the others accept an image. */
const isClip = (name: string): boolean => name === 'video' || name === 'extend';

/** An address, or a file of this device. */
const MediumField = ({
  parameter: { name, about },
  value,
  onChange,
  onFile,
}: {
  readonly parameter: Parameter;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onFile: (file: File) => void;
}) => (
  <Field label={name} hint={plain(about)}>
    {(ids) => (
      <div class="row">
        <input
          {...ids}
          type="text"
          class="grows"
          placeholder="https://…"
          value={typeof value === 'string' ? value : ''}
          onInput={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        />
        <label class="button small">
          Choose a file
          <input
            type="file"
            class="unseen"
            accept={isClip(name) ? 'video/*' : 'image/*'}
            aria-label={`A file for ${name}`}
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0];
              if (file === undefined) return;
              const problem = problemOf(file, isClip(name) ? 'video' : 'image');
              currentTarget.setCustomValidity(problem ?? '');
              if (problem === undefined) {
                onFile(file);
                onChange(attachedName(file.name));
              } else currentTarget.reportValidity();
            }}
          />
        </label>
      </div>
    )}
  </Field>
);

/** The control of one parameter. If it is empty, the call does not contain the parameter. */
export const ParameterField = ({
  parameter,
  value,
  onChange,
  onFile,
}: {
  readonly parameter: Parameter;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onFile: (file: File) => void;
}) => {
  const { name, about, kind, choices = [], minimum, maximum, isWhole } = parameter;
  if (kind === 'medium') return <MediumField {...{ parameter, value, onChange, onFile }} />;
  if (kind === 'choice' || kind === 'flag') {
    const values = kind === 'flag' ? [true, false] : choices;
    return (
      <Select
        label={name}
        hint={plain(about)}
        choices={[
          { value: '', text: 'Default' },
          ...values.map((one) => ({ value: String(one), text: String(one) })),
        ]}
        value={
          typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
            ? String(value)
            : ''
        }
        onChoose={(chosen) => onChange(values.find((one) => String(one) === chosen))}
      />
    );
  }
  if (kind === 'text') {
    return (
      <TextInput
        label={name}
        hint={plain(about)}
        value={typeof value === 'string' ? value : ''}
        onInput={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      />
    );
  }
  return (
    <TextInput
      label={name}
      hint={plain(about)}
      type="number"
      min={minimum}
      max={Number.isSafeInteger(maximum) && maximum! < Number.MAX_SAFE_INTEGER ? maximum : undefined}
      step={isWhole === true ? 1 : 'any'}
      placeholder="Default"
      value={typeof value === 'number' ? value : ''}
      onInput={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : Number(currentTarget.value))
      }
    />
  );
};
