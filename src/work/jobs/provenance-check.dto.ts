import { DISTANCE_MAX } from '#kernel/perceptual-hash';
import { ChoiceField, FlagField, TextField, WhenField, WholeField } from '#platform/http/routes/fields';

const MEDIA_CHARS_MAX = 24 * 1024 * 1024;

export class ProvenanceCheckBody {
  @TextField({
    max: 64,
    pattern: '^[0-9a-f]{64}$',
    optional: true,
    about: "The SHA-256 of the file's bytes, in hex.",
  })
  readonly sha256?: string;
  @TextField({
    max: 16,
    pattern: '^[0-9a-f]{16}$',
    optional: true,
    about: 'The perceptual hash of a picture, in hex.',
  })
  readonly perceptualHash?: string;
  @TextField({
    max: MEDIA_CHARS_MAX,
    pattern: '^data:(image/(png|jpeg|webp)|video/mp4);base64,',
    optional: true,
    about: 'The file as a data URI. It is read and not kept.',
  })
  readonly media?: string;
}

export class ProvenanceCheckAnswer {
  @FlagField() readonly found: boolean;
  @ChoiceField(['exact', 'similar', 'none']) readonly match: string;
  @TextField({ max: 100, optional: true, about: 'The id of the model that made it.' })
  readonly model?: string;
  @WhenField({ optional: true }) readonly createdAt?: string;
  @TextField({ max: 60, optional: true }) readonly provenanceId?: string;
  @WholeField({
    min: 0,
    max: DISTANCE_MAX,
    optional: true,
    about: 'The differing bits of the two perceptual hashes.',
  })
  readonly distance?: number;
  @TextField({
    max: 16,
    optional: true,
    about: 'The perceptual hash of the sent picture, if no similar file was found.',
  })
  readonly perceptualHash?: string;
  @ChoiceField(['valid', 'invalid', 'absent'], {
    optional: true,
    about: 'The signed C2PA manifest of the file that was sent: intact, changed, or none.',
  })
  readonly manifest?: string;
  @TextField({ max: 200, optional: true, about: 'The signer of the manifest, by its certificate.' })
  readonly manifestIssuer?: string;
  @FlagField({ optional: true, about: 'Whether this service signed the manifest.' })
  readonly manifestOurs?: boolean;
}
