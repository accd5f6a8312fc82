import { useRef, useState } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { DropZone } from '../parts/drop.tsx';
import { bytes, time } from '../parts/format.ts';
import { perceptualHashOf } from './perceptual-hash.ts';
import { show } from '../parts/shell.tsx';
import { readDataUri } from '../studio/inputs.ts';
import { Problem } from '../parts/ui.tsx';
import { useAction } from '../parts/use.ts';

type Answer = Schemas['ProvenanceCheckAnswer'];

const FILE_BYTES_MAX = 17_000_000;
const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'video/mp4'];

const hex = (buffer: ArrayBuffer): string =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const hashOf = async (file: Blob): Promise<string> =>
  hex(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));

const ask = (body: Schemas['ProvenanceCheckBody']): Promise<Answer> =>
  call('post', '/v1/agent/provenance/verify', { body });

const signer = ({ manifestOurs: ours = false, manifestIssuer: issuer }: Answer): string => {
  if (!ours) return `by ${issuer ?? 'somebody unknown'}, not by this service`;
  return issuer === 'development'
    ? 'by this service, with a self-made development certificate'
    : `by this service (${issuer})`;
};

const manifestText = (answer: Answer): string | undefined => {
  switch (answer.manifest) {
    case 'valid':
      return `The file has an intact C2PA manifest, signed ${signer(answer)}.`;
    case 'invalid':
      return 'The C2PA manifest does not fit the file: one of them was changed.';
    case 'absent':
      return 'The file has no C2PA manifest.';
    default:
      return undefined;
  }
};

const Result = ({ answer, compared }: { readonly answer: Answer; readonly compared: boolean }) => {
  const manifest = manifestText(answer);
  const made = `${answer.model}, ${answer.createdAt === undefined ? '' : time(answer.createdAt)}`;
  return (
    <div role="status" class="stack">
      {answer.match === 'exact' ? (
        <p class="notice good">This very file was made here by a model: {made}.</p>
      ) : answer.match === 'similar' ? (
        <p class="notice good">
          A copy of a picture that was made here by a model: {made}. {answer.distance} of 64 bits differ.
        </p>
      ) : (
        <p class="notice">
          {compared ? 'Nothing like this was made here.' : 'No file with these bytes was made here.'}
        </p>
      )}
      {manifest === undefined ? null : <p>{manifest}</p>}
    </div>
  );
};

const Provenance = () => {
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const [answer, setAnswer] = useState<Answer>();
  const [compared, setCompared] = useState(false);
  const check = useAction(async (chosen: File | undefined) => {
    if (chosen === undefined) return;
    setFile(chosen);
    setAnswer(undefined);
    const perceptualHash = chosen.type.startsWith('image/') ? await perceptualHashOf(chosen) : undefined;
    setCompared(perceptualHash !== undefined);
    setAnswer(
      await ask({ sha256: await hashOf(chosen), ...(perceptualHash !== undefined && { perceptualHash }) }),
    );
  });
  const send = useAction(async (chosen: File) => {
    setAnswer(await ask({ media: await readDataUri(chosen) }));
    setCompared(true);
  });
  return (
    <>
      <div class="head">
        <div>
          <h1>Is a file from here?</h1>
          <p>
            Your browser computes two hashes: one of the bytes, and one of the look of a picture. The file
            itself stays with you unless you send it.
          </p>
        </div>
      </div>
      <section class="card stack">
        <DropZone label="File" onDrop={({ files }) => void check.run(files[0])}>
          <p>{file === undefined ? 'Drop an image or a video here.' : `${file.name}, ${bytes(file.size)}`}</p>
          <button type="button" onClick={() => input.current?.click()}>
            Choose a file
          </button>
          <input
            ref={input}
            type="file"
            hidden
            accept={TYPES.join(',')}
            aria-label="File to check"
            onChange={(event) => {
              void check.run(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
        </DropZone>
        <Problem error={check.error ?? send.error} />
        {answer === undefined ? null : <Result answer={answer} compared={compared} />}
        {file === undefined || answer === undefined ? null : (
          <div class="row">
            {answer.manifest === undefined && TYPES.includes(file.type) && file.size <= FILE_BYTES_MAX ? (
              <button type="button" disabled={send.running} onClick={() => void send.run(file)}>
                Send the file to check its manifest ({bytes(file.size)})
              </button>
            ) : null}
          </div>
        )}
        <p class="hint">A sent file is read and not kept. Above 48 KB that needs a sign-in.</p>
      </section>
    </>
  );
};

show(<Provenance />);
