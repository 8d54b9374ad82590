export * from "./client";
export * from "./packs";
export * from "./runs";
export type * from "./types";
export type * from "./runTypes";
