import { NumberField, TextField } from '#platform/http/routes/fields';

export class SampleNotesBody {
  @TextField({ min: 1, max: 2_000, about: 'The text that is measured.' }) readonly text: string;
}

export class SampleNotesAnswer {
  @NumberField({ min: 0, about: 'The number of words.' }) readonly words: number;
}
