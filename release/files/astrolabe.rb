class Astrolabe < Formula
  desc "Scripting workbench for hardware performance counters"
  homepage "{{.URL}}"
  version "{{.Version}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{{.URL}}/{{call .Name "darwin/arm64"}}"
      sha256 "{{call .Sum "darwin/arm64"}}"
    end
    on_intel do
      url "{{.URL}}/{{call .Name "darwin/amd64"}}"
      sha256 "{{call .Sum "darwin/amd64"}}"
    end
  end

  on_linux do
    on_arm do
      url "{{.URL}}/{{call .Name "linux/arm64"}}"
      sha256 "{{call .Sum "linux/arm64"}}"
    end
    on_intel do
      url "{{.URL}}/{{call .Name "linux/amd64"}}"
      sha256 "{{call .Sum "linux/amd64"}}"
    end
  end

  def install
    bin.install Dir["astrolabe*"].select { |f| File.file?(f) }
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/astrolabe.bash" => "astrolabe"
    zsh_completion.install "completions/_astrolabe"
    fish_completion.install "completions/astrolabe.fish"
    doc.install "LICENCES-OF-OTHERS.txt", "packages.md"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/astrolabe version")
  end
end
