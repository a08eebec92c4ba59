import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../../bench/lib/child';
import type { Way } from './proxy';

const INSIDE = join(__dirname, 'inside.mjs');
/** The memory limit of a process with faults inside. Without one, a leak would fill the memory of the host. */
const HEAP_MEGABYTES = 256;

/** The faults inside of a trigger's process: see `inside.mjs`. */
export interface Inside {
  /** By how many milliseconds the process's wall clock is ahead. */
  clockMilliseconds: number;
  /** Whether the process's start calls succeed, never reach the server, or lose their answers. */
  starts: 'answered' | 'refused' | 'unanswered';
  /** Whether the process's heap fills until V8 ends the process. */
  memory: 'enough' | 'leaks';
}

/** The program of the process, and the proxies through which it reaches the servers. */
export interface MemberOptions {
  name: string;
  role: 'trigger' | 'worker';
  args: readonly string[];
  environment?: NodeJS.ProcessEnv;
  postgres: Way;
  temporal: Way;
  /** The file with which `inside.mjs` is controlled; undefined for a member without such faults. */
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
  /** The program that runs at present: the member's own, or that of another version. */
  #args: readonly string[];
  /** The output of the processes that have ended. */
  readonly #logs: string[] = [];

  constructor(private readonly options: MemberOptions) {
    ({ name: this.name, role: this.role, postgres: this.postgres, temporal: this.temporal } = options);
    this.#args = options.args;
    this.setInside({});
  }

  start(): void {
    const { name, environment = {}, controlFile } = this.options;
    const inside = controlFile && {
      NODE_OPTIONS: `--import ${INSIDE} --max-old-space-size=${HEAP_MEGABYTES}`,
      CHAOS_CONTROL: controlFile,
    };
    this.#child = new Child(name, this.#args, { ...environment, ...inside });
  }

  /** Resolves when the process says that it is running. */
  async running(): Promise<void> {
    await this.#child!.says(`${this.role} running`);
  }

  /** Starts the process again if it has ended by itself. @returns the end of the process's log, if it had ended */
  async startAgainIfEnded(): Promise<string | undefined> {
    if (this.#isDown || !this.#child!.ended) return undefined;
    const last = this.#child!.log().trim().split('\n').slice(-3).join(' | ');
    await this.#end();
    if (!this.#isDown) this.start();
    return last;
  }

  /** Sends SIGKILL; the process stays away until `bringBack`. */
  async kill(): Promise<void> {
    this.#isDown = true;
    await this.#child!.kill();
    await this.#end();
  }

  bringBack(): void {
    this.#isDown = false;
    this.start();
  }

  /**
   * Stops the process with SIGTERM, as a deploy does, and starts a program in its place.
   *
   * @param args the program of another version, or by default the member's own
   */
  async deploy(args: readonly string[] = this.options.args): Promise<void> {
    this.#isDown = true;
    await this.#end();
    this.#args = args;
    this.bringBack();
  }

  freeze(): void {
    this.#child!.freeze();
  }

  thaw(): void {
    this.#child!.thaw();
  }

  setInside(change: Partial<Inside>): void {
    const { controlFile } = this.options;
    const inside: Inside = { clockMilliseconds: 0, starts: 'answered', memory: 'enough', ...change };
    if (controlFile) writeFileSync(controlFile, JSON.stringify(inside));
  }

  async stop(): Promise<void> {
    this.#isDown = true;
    await this.#end();
  }

  /** All output of the member's processes, also of those that have ended. */
  log(): string {
    return [...this.#logs, this.#isDown ? '' : this.#child!.log()].join('\n');
  }

  async #end(): Promise<void> {
    const log = await this.#child?.stop();
    if (log) this.#logs.push(log);
  }
}
