import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { isPaid } from '#money/billing/calls/paid-routes';
import { ApiKeyRail } from '#money/billing/rails/api-key/api-key.rail';
import { openedCallOf } from '#money/billing/rails/payable-call';
import type { Payer } from '#money/billing/rails/payer';
import { Payers } from '#money/billing/rails/payers';
import { newId } from '#kernel/ids';
import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { failureOf } from '#platform/http/answers/error-filter';
import { routeOf } from '#platform/http/routes/route';
import { CallNoteRepository, type NoteDraft, type Refusals, type SessionDraft } from './call-note.repository';
import { Sample } from './refusal-sample';
import { sessionOfCall } from './session-of-call';

const WRITE_MS = 1_000;
/** The most unwritten notes, counts by owner and code, and sessions of a process. It drops further ones. */
const NOTES_MAX = 2_000;
const COUNTS_MAX = 5_000;
const SESSIONS_MAX = 10_000;
/** The most concurrent look-ups of payers, for calls that were refused before their payer was proven. */
const LOOK_UPS_MAX = 20;

type Waiting = Omit<NoteDraft, 'ageMs'> & { readonly endedAt: number };

type NotedPayer = Pick<Payer, 'id' | 'key' | 'acting'>;

/**
 * Records refused and failed calls, calls that the service sent to more than one provider, and the sessions of charged
 * calls. It keeps them in memory and writes them together once a second, so no call waits for them.
 */
@Injectable()
export class CallNotes implements OnApplicationShutdown {
  private readonly sample = new Sample();
  private readonly writing: BackgroundTask;
  private waiting: Waiting[] = [];
  private counts = new Map<string, Refusals>();
  private sessions: SessionDraft[] = [];
  private lookUps = 0;

  constructor(
    private readonly repository: CallNoteRepository,
    private readonly keys: ApiKeyRail,
    private readonly payers: Payers,
    private readonly background: BackgroundWork,
  ) {
    this.writing = background.task('Writing notes of calls', () => this.write());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.writing.stop();
    await this.write().catch(() => undefined); // A lost note does no harm, because the notes are only a sample.
  }

  /** Must be called after each answer. */
  note(request: FastifyRequest, reply: FastifyReply): void {
    const { url, options } = routeOf(request);
    if (!isPaid(options)) return;
    const failure = failureOf(request);
    const call = openedCallOf(request);
    if (call?.chargeId !== undefined) this.keepSession(request, call.payer?.id, call.chargeId);
    if (failure === undefined && (call === undefined || call.attempts.length < 2)) return;
    const note = {
      id: newId('cn'),
      chargeId: call?.chargeId,
      route: `${request.method} ${url ?? ''}`,
      operation: call?.route.operation.name,
      modelId: call?.priced.modelId,
      tag: call?.body.tag,
      status: failure?.status ?? reply.statusCode,
      code: failure?.code,
      ms: Math.round(reply.elapsedTime),
      attempts: call?.attempts ?? [],
      endedAt: performance.now(),
    };
    if (call?.payer !== undefined) this.keep(call.payer, note);
    else this.findPayer(request, note);
  }

  private keepSession(request: FastifyRequest, owner: string | undefined, chargeId: string): void {
    if (owner === undefined || this.sessions.length >= SESSIONS_MAX) return;
    const session = sessionOfCall(request, owner);
    if (session === undefined) return;
    this.sessions.push({ chargeId, owner, session });
    this.writing.wake(WRITE_MS);
  }

  private keep({ id: owner, key, acting }: NotedPayer, note: Omit<Waiting, 'owner'>): void {
    this.writing.wake(WRITE_MS);
    if (note.chargeId === undefined) this.count(owner, note.code ?? '');
    if (this.waiting.length >= NOTES_MAX || !this.sample.takes(owner, note.endedAt)) return;
    this.waiting.push({ ...note, owner, keyId: key?.id, personId: acting?.person.id });
  }

  private count(owner: string, code: string, more = 1): void {
    const name = `${owner} ${code}`;
    const calls = this.counts.get(name)?.calls ?? 0;
    if (calls > 0 || this.counts.size < COUNTS_MAX)
      this.counts.set(name, { owner, code, calls: calls + more });
  }

  /**
   * The service refuses an invalid body before it proves the payer. The log of an account must show such calls as well,
   * so this finds the payer.
   */
  private findPayer(request: FastifyRequest, note: Omit<Waiting, 'owner'>): void {
    if (note.status === 401 || this.lookUps >= LOOK_UPS_MAX || !this.keys.claims(request)) return;
    this.lookUps += 1;
    this.background.detach('Finding the payers of refused calls', async () => {
      try {
        this.keep(await this.payers.provenIn(this.keys, request), note);
      } catch {
        // The credential is not valid, so the call belongs to no log.
      } finally {
        this.lookUps -= 1;
      }
    });
  }

  private async write(): Promise<void> {
    const { waiting: notes, sessions } = this;
    const counts = [...this.counts.values()];
    if (notes.length === 0 && counts.length === 0 && sessions.length === 0) return;
    this.waiting = [];
    this.sessions = [];
    this.counts = new Map();
    const now = performance.now();
    try {
      await this.repository.add(
        notes.map(({ endedAt, ...note }) => ({ ...note, ageMs: Math.round(now - endedAt) + note.ms })),
        counts,
        sessions,
      );
    } catch (error) {
      this.sessions = [...sessions, ...this.sessions].slice(0, SESSIONS_MAX);
      this.waiting = [...notes, ...this.waiting].slice(0, NOTES_MAX);
      for (const { owner, code, calls } of counts) this.count(owner, code, calls);
      throw error;
    }
  }
}
