import { createHmac, randomBytes } from 'node:crypto';

import type { LamppostEvent } from '../lamppost.ts';
import type { Command } from './command.ts';
import { Misused } from './options.ts';
import { note, oneLine, say } from './output.ts';
import { stopped } from './stop.ts';

const FORWARD_MS = 10_000;

/** Sends an event as a webhook does, and returns the receiver's status. */
const forward = async (event: LamppostEvent, url: string, secret: string): Promise<string> => {
  const body = JSON.stringify(event);
  const time = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const proof = createHmac('sha256', key).update(`${event.id}.${time}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': time,
    'webhook-signature': `v1,${proof}`,
  };
  try {
    const signal = AbortSignal.timeout(FORWARD_MS);
    const { status } = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    return String(status);
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } };
    return cause?.code ?? message;
  }
};

export const listen: Command = {
  usage: ['[--forward URL] [--types job.done,job.failed] [--after EVENT]'],
  about: 'shows events as they happen, and sends them to a program on this machine',
  more:
    'With --forward each event is sent as a webhook sends it, signed with the secret that is shown at the start, or with --secret.\n' +
    'It goes on until Ctrl-C. --after shows what happened behind an event first.',
  options: ['forward', 'types', 'after', 'secret'],
  examples: ['', '--forward http://localhost:8080/hook --types job.done'],
  run: async ({ client, options }) => {
    const { forward: url, after = 'now', secret = `whsec_${randomBytes(24).toString('base64')}` } = options;
    if (url !== undefined && !(URL.canParse(url) && /^https?:/.test(url)))
      throw new Misused(`${url} is no http address.`);
    if (url !== undefined) note(`Events go to ${url}, signed with ${secret}\n`);
    const types = options.types?.split(',') as LamppostEvent['type'][] | undefined;
    try {
      for await (const event of client.events({ after, types, signal: stopped })) {
        const answer = url === undefined ? '' : `  ${oneLine(await forward(event, url, secret))}`;
        say(options.json === true ? `${JSON.stringify(event)}\n` : `${event.type}  ${event.id}${answer}\n`);
      }
    } catch (error) {
      if (!stopped.aborted) throw error;
    }
    return { json: {}, text: '', isWritten: true };
  },
};
