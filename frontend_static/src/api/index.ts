export * from "./client";
export * from "./packs";
export * from "./roles";
export * from "./runs";
export type * from "./types";
export type * from "./runTypes";
