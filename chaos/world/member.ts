import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../../bench/lib/child';
import type { Way } from './proxy';

const INSIDE = join(__dirname, 'inside.mjs');

/** What is moved or failed inside of a trigger: see `inside.mjs`. */
export interface Inside {
  /** How far its clock on the wall is ahead. */
  clockMilliseconds: number;
  /** Whether its starts come through, never reach the server, or lose their answers. */
  starts: 'answered' | 'refused' | 'unanswered';
}

/** How one is started, and by which ways it reaches the servers. */
export interface MemberOptions {
  name: string;
  role: 'trigger' | 'worker';
  args: readonly string[];
  environment?: NodeJS.ProcessEnv;
  postgres: Way;
  temporal: Way;
  /** Where what is asked of its inside is written; undefined of one whose inside is left alone. */
  controlFile?: string;
}

/** A trigger or a worker: a process that is started again when it ends, as by systemd or Kubernetes. */
export class Member {
  readonly name: string;
  readonly role: MemberOptions['role'];
  readonly postgres: Way;
  readonly temporal: Way;
  #child: Child | undefined;
  #isDown = false;

  constructor(private readonly options: MemberOptions) {
    ({ name: this.name, role: this.role, postgres: this.postgres, temporal: this.temporal } = options);
    this.setInside({});
  }

  start(): void {
    const { name, args, environment = {}, controlFile } = this.options;
    const inside = controlFile && { NODE_OPTIONS: `--import ${INSIDE}`, CHAOS_CONTROL: controlFile };
    this.#child = new Child(name, args, { ...environment, ...inside });
  }

  /** Resolves when it does its work. */
  async running(): Promise<void> {
    await this.#child!.says(`${this.role} running`);
  }

  /** Start it again where it has ended by itself. @returns the end of its log where it had */
  async startAgainIfEnded(): Promise<string | undefined> {
    if (this.#isDown || !this.#child!.ended) return undefined;
    const last = this.#child!.log().trim().split('\n').slice(-3).join(' | ');
    await this.#child!.stop();
    this.start();
    return last;
  }

  /** SIGKILL; it stays away until `bringBack`. */
  async kill(): Promise<void> {
    this.#isDown = true;
    await this.#child!.kill();
    await this.#child!.stop();
  }

  bringBack(): void {
    this.#isDown = false;
    this.start();
  }

  freeze(): void {
    this.#child!.freeze();
  }

  thaw(): void {
    this.#child!.thaw();
  }

  setInside(change: Partial<Inside>): void {
    const { controlFile } = this.options;
    const inside: Inside = { clockMilliseconds: 0, starts: 'answered', ...change };
    if (controlFile) writeFileSync(controlFile, JSON.stringify(inside));
  }

  async stop(): Promise<void> {
    this.#isDown = true;
    await this.#child?.stop();
  }
}
