import {
  ChoiceField,
  FlagField,
  ListField,
  NumberField,
  ObjectField,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';

export class NewReferenceBody {
  @SchemaField(
    { about: 'A data: URI of an image (at most 8 MB) or video (40 MB), or a public https address of one.' },
    { type: 'string', minLength: 1 },
  )
  readonly media: string;
  @TextField({
    min: 1,
    max: 200,
    pattern: '^[^\\r\\n]*$',
    optional: true,
    about: 'A text that describes the content. It helps the search most.',
    example: 'A red car in front of the old town hall',
  })
  readonly label?: string;
}

export class ReferenceAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(['image', 'video']) readonly kind: string;
  @TextField({ max: 100, about: 'The type of the bytes, as found in them.' }) readonly mime: string;
  @WholeField({ min: 1, max: 41_943_040 }) readonly bytes: number;
  @TextField({ max: 200, optional: true }) readonly label?: string;
  @TextField({ max: 500, about: 'The address of the medium, valid for 24 hours from this answer.' })
  readonly url: string;
  @WholeField({
    min: 0,
    max: 1,
    about: '0 until the search finds the reference, usually for a second after it is stored. Then 1.',
  })
  readonly vectorReady: number;
  @WhenField() readonly createdAt: string;
}

export class MatchedReferenceAnswer extends ReferenceAnswer {
  @NumberField({ min: -1, max: 1, about: 'The similarity to the query; 1 is identical.' })
  readonly score: number;
}

export class ReferencesAnswer {
  @ListField(() => ReferenceAnswer, { about: 'Newest first.' }) readonly refs: readonly ReferenceAnswer[];
}

export class MatchedReferencesAnswer {
  @ListField(() => MatchedReferenceAnswer, { about: 'The closest first.' })
  readonly refs: readonly MatchedReferenceAnswer[];
}

export class StoredReferenceAnswer {
  @FlagField() readonly ok: boolean;
  @ObjectField(() => ReferenceAnswer) readonly asset: ReferenceAnswer;
}

const QUERY_CHARS_MAX = 2_000;

export class SearchQuery {
  @TextField({ min: 1, max: QUERY_CHARS_MAX, about: 'The text to search for.' }) readonly q: string;
  @WholeField({ min: 1, max: 100, default: 10, optional: true }) readonly limit: number;
}
