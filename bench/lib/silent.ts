/** A logger for triggers whose log is not read. */
export const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, log() {} };
