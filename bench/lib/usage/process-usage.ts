import { readFileSync } from 'node:fs';

/** Clock ticks per second in /proc, as Linux has them by default. */
const TICKS_PER_SECOND = 100;

/** The CPU time of a process since it began, user and system time, in milliseconds. This works on Linux only. */
export function cpuMilliseconds(processId: number): number {
  const { utime, stime } = statOf(processId);
  return ticksToMilliseconds(utime + stime);
}

/** The CPU time of a process's ended children for which it has waited. This works on Linux only. */
export function endedChildrenCpuMilliseconds(processId: number): number {
  const { cutime, cstime } = statOf(processId);
  return ticksToMilliseconds(cutime + cstime);
}

/** The program name of a process, and the ID of its parent. This works on Linux only. */
export function originOf(processId: number): { name: string; parent: number } {
  const { name, ppid } = statOf(processId);
  return { name, parent: ppid };
}

/** The resident memory of a process in bytes. This works on Linux only. */
export function residentBytes(processId: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'));
  return Number(line?.[1]) * 1_024;
}

/** The child processes of a process. This works on Linux only. */
export function childrenOf(processId: number): number[] {
  const text = readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** The fields of /proc/<id>/stat. @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function statOf(processId: number) {
  const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
  // The program name, in parentheses, may contain spaces and parentheses.
  const end = stat.lastIndexOf(')');
  const [, ppid, , , , , , , , , , utime, stime, cutime, cstime] = stat
    .slice(end + 2)
    .split(' ')
    .map(Number) as number[];
  return {
    name: stat.slice(stat.indexOf('(') + 1, end),
    ...{ ppid: ppid!, utime: utime!, stime: stime!, cutime: cutime!, cstime: cstime! },
  };
}

function ticksToMilliseconds(ticks: number): number {
  return (ticks / TICKS_PER_SECOND) * 1_000;
}

/** Whether this system shows the usage of processes. */
export const TELLS_USAGE = process.platform === 'linux';
