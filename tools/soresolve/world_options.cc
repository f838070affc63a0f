// The options that several subcommands share: the analysed world, the process that opens the file, and the output.
#include "world_options.h"

#include <utility>

#include "input.h"
#include "meaning.h"

namespace soresolve::tool {
namespace {

constexpr Phrase kOutput = {"Output", "输出"};

constexpr Phrase kOpenedLater = {
    "what is opened later: none, notes (what files say themselves), known (and what is known of packages; the "
    "default), strings (and names among constants)",
    "之后用 dlopen 打开的库，检查到什么程度：none（不检查）、notes（文件自己声明的）、"
    "known（再加上已知软件包的，默认）、"
    "strings（再加上字符串常量中的名字）"};

}  // namespace

void append(OptionList& list, OptionList more) {
  for (Option& option : more) list.push_back(std::move(option));
}

Option colour_option(std::string& colour) {
  return {.names = {"--color", "--colour"},
          .value = "WHEN",
          .into = &colour,
          .description = {"auto (on a terminal, or with FORCE_COLOR; not with NO_COLOR), always or never",
                          "auto（在终端上，或设置了 FORCE_COLOR；设置 NO_COLOR 时不用）、always 或 never"},
          .choices = {"auto", "always", "never"},
          .group = kOutput};
}

Option language_option(std::string& language) {
  return {.names = {"--lang"},
          .value = "LANG",
          .into = &language,
          .description = {"en or zh (default: the locale's)", "en 或 zh（默认取自 locale）"},
          .choices = {"en", "zh"},
          .group = kOutput};
}

Option html_option(WorldOptions& options) {
  return {.names = {"--html"},
          .value = "FILE",
          .into = &options.html,
          .description = {"write the answer to FILE as a page for a browser, too: one file that needs no network",
                          "另外把结果写成浏览器可打开的网页 FILE：单个文件，不需要网络"},
          .group = kOutput};
}

std::string page_title(std::string_view name, const WorldOptions& options, const std::string& file) {
  const bool is_import = options.process.asked_as == AskedAs::Import;
  const std::string root = options.root.empty() ? "" : " --root " + options.root;
  return "soresolve " + std::string(name) + root + (is_import ? " --import " : " ") + file;
}

std::optional<Exit> refuse_many_pages(std::string_view name, const WorldOptions& options, std::size_t file_count) {
  if (options.html.empty() || file_count <= 1) return std::nullopt;
  return refuse_usage(name, "--html takes the answer about one file; for many: soresolve scan --html");
}

Option dlopen_option(DlopenLevel& level) {
  return {.names = {"--dlopen"},
          .value = "HOW",
          .into = one_of<DlopenLevel>(level, {{"none", DlopenLevel::None},
                                              {"notes", DlopenLevel::Notes},
                                              {"known", DlopenLevel::Known},
                                              {"strings", DlopenLevel::Strings}}),
          .description = kOpenedLater,
          .choices = {"none", "notes", "known", "strings"}};
}

Option jobs_option(unsigned& jobs) {
  return {.names = {"-j", "--jobs"},
          .value = "N",
          .into = &jobs,
          .description = {"threads", "线程数"},
          .range = ValueRange{1, 256}};
}

Option only_option(std::string& only) {
  return {.names = {"--only"},
          .value = "WHAT",
          .into = &only,
          .description = {"loader: what the loader does at the start and nothing else; neither what is opened later, "
                          "nor whether CUDA's calls will work",
                          "loader：只看启动时动态链接器的行为，不看之后打开的库，也不判断 CUDA 调用能否成功"},
          .choices = {"loader"}};
}

Option strict_option(bool& is_strict) {
  return {.names = {"--strict"},
          .into = &is_strict,
          .description = {"exit status 1 for a library that leaves symbols to the process that loads it",
                          "库把符号留给加载它的进程时，退出状态为 1"}};
}

namespace {

std::optional<std::string> take_root(WorldOptions& options, const std::string& word) {
  options.root = word;
  if (const std::optional<Error> error = enter_place(options)) return error->to_string();
  watch_for_unrecorded(options);
  return std::nullopt;
}

}  // namespace

OptionList place_options(WorldOptions& options) {
  constexpr Phrase group = {"The analysed world", "分析所用的环境"};
  return {
      {.names = {"--root"},
       .value = "PLACE",
       .into = TakeOnce{[&options](const std::string& word) { return take_root(options, word); }},
       .description =
           {"analyse PLACE as if chrooted in it; paths are inside it. A directory, a container image (docker "
            "save, an OCI layout), a package (.deb, .rpm, .whl, .conda), a tar, zip or cpio; PLACE//FILE says "
            "both. A snapshot (see soresolve snapshot; - for standard input): as on the machine that it was made of",
            "像 chroot 到 PLACE 那样分析；路径都是其中的路径。可以是目录、容器镜像（docker save 或 OCI "
            "layout）、软件包（.deb、.rpm、.whl、.conda）、tar、zip 或 cpio；也可写成 PLACE//FILE。也可以是快照（见 "
            "soresolve snapshot；- 表示标准输入）：如同在生成快照的机器上"},
       .group = group},
      {.names = {"--base"},
       .value = "PLACE",
       .into = &options.place_options.bases,
       .description = {"a place that lies below --root: a package on an image; repeatable, the lowest first",
                       "位于 --root 之下的环境，如软件包所安装到的镜像；可重复，最底层的在前"},
       .group = group},
      {.names = {"--platform"},
       .value = "OS/ARCH",
       .into = &options.place_options.platform,
       .description = {"of an image with several platforms, such as linux/arm64 (default: this machine's)",
                       "镜像有多个平台时取哪一个，如 linux/arm64（默认为本机的）"},
       .group = group},
      {.names = {"--cache"},
       .value = "DIR",
       .into = &options.place_options.cache,
       .description = {"keep compressed layers of images unpacked in DIR, for the next image that has them",
                       "把镜像的压缩层解压后保存在 DIR 中，供之后含有同一层的镜像使用"},
       .group = group},
      {.names = {"--verify"},
       .into = WhenGiven{[&options] { options.place_options.verify = Verify::All; }},
       .description = {"compare the digests of all layers of an image, also of those that need not be read whole",
                       "校验镜像所有层的摘要，包括无需完整读取的层"},
       .group = group},
      {.names = {"--env"},
       .value = "K=V",
       .into = &options.env,
       .description = {"environment entry; replaces the inherited environment",
                       "环境变量；一旦给出，就不再继承当前环境"},
       .group = group},
      {.names = {"--clean-env"},
       .into = &options.clean_env,
       .description = {"start from an empty environment", "从空环境开始"},
       .group = group},
      {.names = {"--cwd"},
       .value = "DIR",
       .into = &options.cwd,
       .description = {"current directory of the process", "进程的当前目录"},
       .group = group},
      {.names = {"--cpu"},
       .value = "NAME",
       .into = &options.cpu,
       .description = {"processor, such as x86-64-v3 (default: this machine's)",
                       "处理器，如 x86-64-v3（默认为本机的）"},
       .group = group},
      {.names = {"--user"},
       .value = "USER",
       .into = &options.user,
       .description = {"who starts the program, by the system's etc/passwd and etc/group (default: who asks): decides "
                       "which files it may open, and whether set-uid, set-gid and file capabilities set AT_SECURE",
                       "由谁启动程序，按系统的 etc/passwd 和 etc/group 查找（默认为当前用户）：决定能打开哪些文件，"
                       "以及 set-uid、set-gid 和文件 capability 是否使 AT_SECURE 生效"},
       .group = group},
      {.names = {"--secure"},
       .into = WhenGiven{[&options] { options.secure = AtSecure::Yes; }},
       .description = {"with AT_SECURE, whatever the program's mode", "无论程序的权限位如何，都按 AT_SECURE 处理"},
       .group = group},
      {.names = {"--no-secure"},
       .into = WhenGiven{[&options] { options.secure = AtSecure::No; }},
       .description = {"without AT_SECURE, though the program is set-uid, set-gid or has capabilities",
                       "即使程序是 set-uid、set-gid 或带有 capability，也不按 AT_SECURE 处理"},
       .group = group},
      {.names = {"--glibc"},
       .value = "X.Y",
       .into = &options.glibc,
       .description = {"rules of this glibc release instead of the loader's own",
                       "按这个 glibc 版本的规则，而不是动态链接器自身版本的规则"},
       .group = group},
      {.names = {"--json"},
       .into = &options.json,
       .description = {"print JSON (schema soresolve/1)", "输出 JSON（格式 soresolve/1）"},
       .group = kOutput},
      colour_option(options.colour),
      {.names = {"-v", "--verbose"},
       .into = &options.verbose,
       .description = {"unfold everything; trace lines on standard error", "展开全部内容；在标准错误上输出跟踪信息"},
       .group = kOutput},
  };
}

namespace {

std::optional<std::string> take_exe(ProcessSettings& process, const std::string& word) {
  const bool is_nobody = word == "none";
  process.opened_by = is_nobody ? OpenedBy::Nobody : OpenedBy::WhoFits;
  process.exe = is_nobody ? std::string() : word;
  return std::nullopt;
}

std::optional<std::string> take_loaded(ProcessSettings& process, const std::string& word) {
  Result<OpenRequest> loaded = parse_loaded(word);
  if (!loaded) return loaded.error().message;
  process.loaded.push_back(std::move(loaded).value());
  return std::nullopt;
}

std::optional<std::string> take_mode(ProcessSettings& process, const std::string& words) {
  const Result<OpenMode> mode = parse_open_mode(words);
  if (!mode) return mode.error().message;
  process.mode = *mode;
  return std::nullopt;
}

std::optional<std::string> take_import(WorldOptions& options, const std::string& word) {
  options.process.asked_as = AskedAs::Import;
  options.import_module = word;
  return std::nullopt;
}

}  // namespace

OptionList world_options(WorldOptions& options) {
  constexpr Phrase group = {"The process that opens FILE", "打开 FILE 的进程"};
  ProcessSettings& process = options.process;
  OptionList list = {
      {.names = {"--exe"},
       .value = "FILE",
       .into = TakeOnce{[&process](const std::string& word) { return take_exe(process, word); }},
       .description =
           {"the program that opens FILE with dlopen; a script stands for its interpreter. Without it the process of a "
            "module or plug-in is found, and reported as an assumption; none: look at FILE alone",
            "用 dlopen 打开 FILE 的程序；脚本代表它的解释器。不指定时会自动找到模块或插件所属的进程，并作为假定说明；"
            "none：只看 FILE 本身"},
       .group = group},
      {.names = {"--loaded"},
       .value = "FILE",
       .into = TakeEach{[&process](const std::string& word) { return take_loaded(process, word); }},
       .description =
           {"what the process has opened before; repeatable, in order, each with its own closure. MODE:FILE, with the "
            "words of --rtld and caller=FILE, say how: global,deepbind:libx.so",
            "进程此前已经打开的库；可重复，按顺序，各带自己的依赖。写成 MODE:FILE 可说明打开方式，"
            "MODE 用 --rtld 的词和 caller=FILE：global,deepbind:libx.so"},
       .group = group},
      {.names = {"--rtld"},
       .value = "MODE",
       .into = TakeOnce{[&process](const std::string& words) { return take_mode(process, words); }},
       .description =
           {"how FILE is opened; words with commas between them: local or global, deepbind, now or lazy, noload (only "
            "if it is loaded), nodelete, dlmopen (in a namespace of its own)",
            "FILE 的打开方式，多个词用逗号隔开：local 或 global、deepbind、now 或 lazy、noload（仅当已加载）、"
            "nodelete、dlmopen（在独立的命名空间里）"},
       .choices = {"local", "global", "deepbind", "now", "lazy", "noload", "nodelete", "dlmopen"},
       .group = group},
      {.names = {"--caller"},
       .value = "FILE",
       .into = &process.caller,
       .description = {"the object whose code calls dlopen (default: the program); its RUNPATH counts for a "
                       "library name",
                       "调用 dlopen 的代码所在的对象（默认为程序）；按库名打开时它的 RUNPATH 起作用"},
       .group = group},
      {.names = {"--by-name"},
       .into = WhenGiven{[&process] { process.bare_name = BareName::Library; }},
       .description = {"a FILE without a slash is a library name for dlopen, also where the current directory has a "
                       "file of that name (./FILE is that file)",
                       "不含斜杠的 FILE 一律当作交给 dlopen 的库名，即使当前目录有同名文件（./FILE 才是那个文件）"},
       .group = group},
      {.names = {"--import"},
       .value = "MODULE",
       .into = TakeOnce{[&options](const std::string& word) { return take_import(options, word); }},
       .description = {"instead of FILE: what `import MODULE` opens in Python, in its order, by its sources; the first "
                       "failure that nothing catches is the answer",
                       "代替 FILE：Python 执行 import MODULE 时按其源码依次打开的库；第一个没有被捕获的失败就是答案"},
       .group = group},
      {.names = {"--python"},
       .value = "ENV",
       .into = &process.python,
       .description = {"the interpreter of --import and of modules, or the environment it lies in (default: what "
                       "typing python3 would start); for confirm alone: the torch in there",
                       "--import 和扩展模块所用的 Python 解释器，或它所在的环境（默认为输入 python3 会启动的那个）；"
                       "confirm 单独使用时：其中的 torch"},
       .group = group},
      {.names = {"--pid"},
       .value = "N",
       .into = &options.pid,
       .description = {"a live process: its program, environment, directory, root and what it has mapped",
                       "正在运行的进程：取它的程序、环境、目录、根目录和已映射的文件"},
       .range = ValueRange{1, 1 << 22},
       .group = group},
      {.names = {"--core"},
       .value = "FILE",
       .into = own_file(options.core),
       .description = {"a core dump of a process: its program, environment and what it had loaded; its files are those "
                       "of --root (default: of this machine)",
                       "进程的 core 转储：取它的程序、环境和已加载的文件；文件内容取自 --root（默认为本机）"},
       .group = group},
  };
  append(list, place_options(options));
  return list;
}

OptionList driver_options(WorldOptions& options) {
  constexpr Phrase group = {"The host that it runs on", "运行它的主机"};
  return {
      {.names = {"--driver"},
       .value = "DRIVER",
       .into = &options.driver.driver,
       .description =
           {"lay over the analysed world what a container gets from a host with this NVIDIA driver: a directory with "
            "its libraries, the root of a host, a snapshot of one, or a release (550.54.14), of which only what rows "
            "tell is known",
            "把容器从装有该 NVIDIA 驱动的主机得到的内容叠加到分析所用的环境上：可以是驱动库所在的目录、主机的根目录、"
            "主机的快照，或驱动版本号（550.54.14，此时只知道内置数据记录的内容）"},
       .group = group},
      {.names = {"--driver-mode"},
       .value = "MODE",
       .into = TakeOnce{[&options](const std::string& word) -> std::optional<std::string> {
         Result<DriverSettings> settings = with_driver_mode(options.driver, word);
         if (!settings) return settings.error().message;
         options.driver = std::move(settings).value();
         return std::nullopt;
       }},
       .description =
           {"what passes the driver in: toolkit (nvidia-container-toolkit, docker run --gpus; the default), cdi (its "
            "CDI specification) or apptainer (--nv); with =RELEASE by the rules of that release: toolkit=1.17.4",
            "由什么把驱动传入容器：toolkit（nvidia-container-toolkit，即 docker run --gpus，默认）、cdi（其 CDI "
            "规范）或 apptainer（--nv）；加上 =版本号 则按那个版本的规则：toolkit=1.17.4"},
       .group = group},
  };
}

Option files_option(std::vector<std::string>& files, const Phrase& what) {
  return {.names = {"FILE"},
          .into = &files,
          .description = what,
          .remark = {"; - is standard input; with --pid, --core, --import or an image as --root it can be left out",
                     "；- 表示标准输入；有 --pid、--core、--import 或 --root 为镜像时可以省略"}};
}

namespace {

/// PLACE//FILE: the place becomes the root. A directory does not count: two slashes in a path are one.
void take_place(WorldOptions& options, std::vector<std::string>& files) {
  if (!options.root.empty() || options.pid != 0 || files.empty()) return;
  const std::size_t slashes = files.front().find("//", 1);
  if (slashes == std::string::npos) return;
  const std::string place = files.front().substr(0, slashes);
  const Result<FileStatus, Errno> status = host_file_system()->status(place);
  if (!status || (status->kind != FileKind::Regular && !host_file_system()->status(place + "/oci-layout"))) return;
  if (const std::optional<std::string> failure = take_root(options, place)) {
    options.root = place;  // the World tells why
  }
  for (std::string& file : files) {
    if (file.starts_with(place + "//")) file.erase(0, slashes + 1);
  }
}

}  // namespace

std::optional<Exit> complete_files(const Subcommand& asked, WorldOptions& options, std::vector<std::string>& files,
                                   std::span<char* const> typed) {
  take_place(options, files);
  if (const auto exit = name_input(asked, options, files)) return exit;
  if (const auto exit = follow_meaning(asked, options, files, typed)) return exit;
  const bool is_import = options.process.asked_as == AskedAs::Import;
  const bool takes_name = &asked == &kWhy;  // the library that is to be explained
  if (is_import && (files.empty() || (takes_name && files.size() == 1))) {
    files.insert(files.begin(), options.import_module);
    return std::nullopt;
  }
  if (is_import) return refuse_usage(asked.name, "--import stands instead of FILE");
  if (!files.empty()) return std::nullopt;
  if (options.pid != 0 || !options.core.empty() || !options.root.empty()) {
    files.emplace_back();
    return std::nullopt;
  }
  return refuse_missing(asked, "FILE is required");
}

}  // namespace soresolve::tool
