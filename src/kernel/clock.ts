/** The process clock. It is a port, so that tests can move it. Leases and deadlines use the database's time instead. */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
