import { type Schemas, ApiError, addressOf } from '../parts/api.ts';

type Stored = Schemas['StoredReferenceAnswer'];

/** Uploads a reference and reports its progress. `fetch` can’t report progress. */
export const upload = (
  body: Schemas['NewReferenceBody'],
  onProgress: (percent: number) => void,
): Promise<Stored['asset']> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', addressOf('/v1/agent/references'));
    request.setRequestHeader('content-type', 'application/json');
    request.responseType = 'json';
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(Math.round((loaded / total) * 100)),
    );
    request.addEventListener('load', () => {
      if (request.status < 300) resolve((request.response as Stored).asset);
      else reject(new ApiError(request.status, request.response ?? {}));
    });
    request.addEventListener('error', () =>
      reject(new ApiError(0, { error: { message: 'The upload broke off. Send it again.' } })),
    );
    request.send(JSON.stringify(body));
  });
