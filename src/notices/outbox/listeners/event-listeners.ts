import { randomUUID } from 'node:crypto';

import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';

import { within } from '#kernel/deadline';
import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import type { ProcessSettings } from '#platform/config/process.settings';
import { SETTINGS } from '#platform/config/settings';
import { RECORDED, SweepPauses } from '#platform/queue/sweep-pause.repository';
import type { Event } from '../event.entity';
import { type EventCursor, type StoredEvent, endOfPosition } from '../event.repository';
import { Events } from '../events';
import { EventListenerRepository } from './event-listener.repository';
import { OnEvent, type TeamEvent } from './on-event';

type Handle = (event: TeamEvent) => unknown;

interface Listener {
  readonly name: string;
  readonly types: readonly TeamEvent['type'][];
  readonly handle: Handle;
  /** The cursor is not stored more often than needed if there are no events. */
  movedAt: number;
}

const BATCH = 100;
/** The most events that are tried again before the next ones are read. */
const RETRIES = 10;
/** The interval of reads without a notification, for retries and for the leases of dead processes. */
const CHECK_EVERY_MS = 10_000;
/** Watermarks that follow each other quickly are read together. */
const GAP_MS = 200;
const HANDLE_MS_MAX = 30_000;
/** The rest of the drain needs its time too. */
const STOP_MS_MAX = 5_000;
/** Longer than the handling of an event, because the lease is extended between two events. */
const LEASE_SECONDS = 60;
const EXTEND_AFTER_MS = 15_000;

/** Another process has or had the lease, so it continues, or the next run does from the new cursor. */
class LeaseLost extends Error {}

/**
 * Calls the methods with `@OnEvent`. Each listener has a cursor in the log, and one process at a time has its lease. The
 * cursor moves after the calls, so a process that dies leaves its events to the next one. An event whose call fails is
 * recorded as a pause and tried again, and the listener continues with the next event.
 */
@Injectable()
export class EventListeners implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(EventListeners.name);
  private readonly holder = randomUUID();
  private readonly tasks: BackgroundTask[] = [];
  private listeners: readonly Listener[] = [];
  private stop?: () => void;
  private isStopping = false;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly events: Events,
    private readonly rows: EventListenerRepository,
    private readonly pauses: SweepPauses,
    private readonly background: BackgroundWork,
    @Inject(SETTINGS) private readonly settings: ProcessSettings,
  ) {}

  /** Fails at the start if two listeners have one name, or if a method with `@OnEvent` would never be called. */
  onModuleInit(): void {
    this.refuseUnheard();
    this.listeners = this.find();
    const names = this.listeners.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`Two listeners are named "${twice}". Rename one of them.`);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.role === 'api' || this.listeners.length === 0) return;
    await this.rows.add(this.listeners.map(({ name }) => name));
    for (const listener of this.listeners) {
      const task = this.background.task(`Events for ${listener.name}`, () => this.run(listener), {
        everyMs: CHECK_EVERY_MS,
        gapMs: GAP_MS,
      });
      this.tasks.push(task);
      task.wake();
    }
    this.stop = this.events.onPlaced(() => this.tasks.forEach((task) => task.wake()));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.stop?.();
    // The cursor moves after the calls, so another process repeats a call that takes longer.
    await within(STOP_MS_MAX, Promise.all(this.tasks.map((task) => task.stop())), () => undefined);
  }

  private refuseUnheard(): void {
    const controllers = this.discovery.getControllers();
    for (const wrapper of [...this.discovery.getProviders(), ...controllers]) {
      const isController = controllers.includes(wrapper);
      const { prototype } = (wrapper.metatype ?? {}) as { readonly prototype?: object };
      if (prototype === undefined) continue;
      for (const method of this.scanner.getAllMethodNames(prototype)) {
        const listening = this.discovery.getMetadataByDecorator(OnEvent, wrapper, method);
        if (listening === undefined) continue;
        const refuse = (why: string): never => {
          throw new Error(`${wrapper.name}.${method} would get no event: ${why}`);
        };
        if (isController) refuse('@OnEvent is for a method of a provider, and not of a controller.');
        if (!wrapper.isDependencyTreeStatic())
          refuse('a provider of each request has no instance without one.');
        if (listening.types.length === 0) refuse('its list of types is empty.');
      }
    }
  }

  private find(): Listener[] {
    return this.discovery.getProviders().flatMap((wrapper) => {
      const instance = wrapper.instance as Record<string, Handle> | null;
      if (!wrapper.isDependencyTreeStatic() || typeof instance !== 'object' || instance === null) return [];
      return this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object).flatMap((method) => {
        const listening = this.discovery.getMetadataByDecorator(OnEvent, wrapper, method);
        if (listening === undefined) return [];
        return [{ ...listening, handle: (event: TeamEvent) => instance[method]!(event), movedAt: 0 }];
      });
    });
  }

  private async run(listener: Listener): Promise<void> {
    const { name } = listener;
    const cursor = await this.rows.claim(name, this.holder, LEASE_SECONDS);
    if (cursor === undefined) return;
    const lease: Lease = { extendedAt: Date.now(), cursor, at: cursor };
    try {
      let tried = RETRIES;
      while (tried === RETRIES && !this.isStopping) {
        tried = await this.retry(listener, lease);
        let isMore = true;
        while (isMore && !this.isStopping) isMore = await this.read(listener, lease);
      }
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      await this.rows.release(name, this.holder);
    }
  }

  /** Handles the next events. False at the end of the log. */
  private async read(listener: Listener, lease: Lease): Promise<boolean> {
    const { name, types } = listener;
    const from = lease.at;
    const { oldest, latest } = await this.events.bounds();
    const after = from.position < oldest ? endOfPosition(oldest) : from;
    const reach = (await this.rows.reach(after, types, BATCH)) ?? latest;
    const until = reach < latest ? reach : latest;
    const found = until < after.position ? [] : await this.rows.between(after, until, types, BATCH);
    let at = from;
    for (const event of found) {
      if (this.isStopping) break;
      await this.extend(name, lease);
      await this.call(listener, event);
      at = event.cursor;
    }
    const isWhole = found.length < BATCH && !this.isStopping;
    const to = isWhole ? endOfPosition(until < after.position ? after.position : until) : at;
    if (found.length > 0 || Date.now() - listener.movedAt >= CHECK_EVERY_MS) {
      if (!(await this.rows.move(name, this.holder, to))) throw new LeaseLost();
      lease.cursor = to;
      listener.movedAt = Date.now();
    }
    lease.at = to;
    return !isWhole || until < latest;
  }

  /** Tries some failed events again, and returns their number. */
  private async retry(listener: Listener, lease: Lease): Promise<number> {
    const sweep = `${RECORDED}${listener.name}`;
    const due = await this.rows.due(sweep, RETRIES);
    if (due.length === 0) return 0;
    const events = new Map((await this.events.some(due)).map((event) => [event.id, event]));
    for (const id of due) {
      if (this.isStopping) break;
      await this.extend(listener.name, lease);
      const event = events.get(id);
      if (event === undefined)
        this.logger.error(
          { eventId: id, listener: listener.name },
          'The event has expired, and no listener has handled it.',
        );
      if (event === undefined || (await this.call(listener, event))) await this.pauses.done(sweep, id);
    }
    return due.length;
  }

  private async extend(name: string, lease: Lease): Promise<void> {
    if (Date.now() - lease.extendedAt < EXTEND_AFTER_MS) return;
    const cursor = await this.rows.claim(name, this.holder, LEASE_SECONDS);
    if (cursor === undefined || !isSame(cursor, lease.cursor)) throw new LeaseLost();
    lease.extendedAt = Date.now();
  }

  /** False if the listener has failed. The event is then tried again. */
  private async call({ name, handle }: Listener, event: Event | StoredEvent): Promise<boolean> {
    const { id, type, owner, createdAt } = event;
    try {
      const { data } = this.events.present(event) as { readonly data: TeamEvent['data'] };
      const given: TeamEvent = { id, type, owner, createdAt, data };
      await within(
        HANDLE_MS_MAX,
        Promise.resolve().then(() => handle(given)),
        () => {
          throw new Error(`It took longer than ${HANDLE_MS_MAX / 1_000} seconds.`);
        },
      );
      return true;
    } catch (error) {
      this.logger.error(
        { err: error, eventId: id, listener: name },
        'A listener has failed at an event; it gets the event again.',
      );
      await this.pauses.failed(`${RECORDED}${name}`, id);
      return false;
    }
  }
}

interface Lease {
  extendedAt: number;
  /** The stored cursor. Another process that had the lease meanwhile may have moved it. */
  cursor: EventCursor;
  /** The end of the events that this process has handled. */
  at: EventCursor;
}

const isSame = (one: EventCursor, other: EventCursor): boolean =>
  one.position === other.position && one.written === other.written && one.id === other.id;
