import { tone, wavOf } from '#models/providers/sandbox/tone';

/** A form with a recording of one second, for routes that need a file: its content type, and its bytes. */
export const recordingForm = async (fields: object = {}): Promise<readonly [string, Buffer]> => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  form.append('file', new Blob([new Uint8Array(wavOf(tone(1, 440)))]), 'recording.wav');
  const sent = new Response(form);
  return [sent.headers.get('content-type') ?? '', Buffer.from(await sent.arrayBuffer())];
};
