import { Injectable } from '@nestjs/common';

/** Tells those who keep something for keys that some have ended. A regular sweep finds what is missed here. */
@Injectable()
export class EndedKeyNotifier {
  private readonly listeners: (() => Promise<void>)[] = [];

  listen(listener: () => Promise<void>): void {
    this.listeners.push(listener);
  }

  async notify(): Promise<void> {
    await Promise.all(this.listeners.map((listener) => listener()));
  }
}
