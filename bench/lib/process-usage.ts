import { readFileSync } from 'node:fs';

/** Clock ticks a second in /proc; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU time of a process since it began, user and system, in milliseconds. Linux only. */
export function cpuMilliseconds(processId: number): number {
  const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
  // The program's name, in parentheses, may hold spaces; utime and stime are the 12th and 13th fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000;
}

/** Resident memory in bytes. Linux only. */
export function residentBytes(processId: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'));
  return Number(line?.[1]) * 1_024;
}

/** The processes that this one has started. Linux only. */
export function childrenOf(processId: number): number[] {
  const text = readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** Whether this system tells what its processes use. */
export const TELLS_USAGE = process.platform === 'linux';
